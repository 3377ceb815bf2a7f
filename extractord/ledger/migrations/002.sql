-- Permission bits that a topic had before a changeset, or, for one that it makes anew, gets: an undo of a deletion gives them back.
ALTER TABLE files ADD COLUMN mode INTEGER;
