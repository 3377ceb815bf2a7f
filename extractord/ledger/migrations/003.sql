-- Texts of old changesets are let go of after ``history.keep``: before and after are NULL then, which else means "no file".
ALTER TABLE files ADD COLUMN let_go INTEGER NOT NULL DEFAULT 0 CHECK (let_go IN (0, 1));
