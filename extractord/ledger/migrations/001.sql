-- Times are seconds since the epoch, money is whole billionths of a dollar, flags are 0 or 1.
-- Texts of topics lie in "texts", once per content, named by memory.changeset.digest_of.

CREATE TABLE sightings (
  session TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  cwd TEXT NOT NULL,
  project_root TEXT,
  memory_dir TEXT NOT NULL,
  offset INTEGER NOT NULL,
  uuid TEXT,
  resume BLOB NOT NULL,
  unfinished INTEGER NOT NULL CHECK (unfinished IN (0, 1))
) STRICT;
CREATE INDEX sightings_by_cwd ON sightings (cwd);

CREATE TABLE handled (
  uuid TEXT PRIMARY KEY,
  session TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outcomes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  number INTEGER NOT NULL,
  memory_dir TEXT NOT NULL,
  project TEXT NOT NULL,
  transcript TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  time REAL NOT NULL,
  ended REAL,
  topics TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  seconds REAL NOT NULL,
  attempts INTEGER NOT NULL,
  next_try REAL,
  parked INTEGER NOT NULL CHECK (parked IN (0, 1)),
  changeset TEXT,
  sandbox TEXT NOT NULL
) STRICT;
CREATE INDEX outcomes_by_stretch ON outcomes (session, key, seq);

CREATE VIEW current_outcomes AS
  SELECT * FROM outcomes AS o WHERE NOT EXISTS
    (SELECT 1 FROM outcomes AS later WHERE later.session = o.session AND later.key = o.key AND later.seq > o.seq);

CREATE TABLE claims (
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  memory_dir TEXT NOT NULL,
  owner TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  time REAL NOT NULL,
  PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE texts (
  digest TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE changesets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  time REAL NOT NULL,
  session TEXT,
  stretch_key TEXT,
  memory_dir TEXT NOT NULL,
  outcome TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  undoes TEXT REFERENCES changesets (id),
  accepts TEXT REFERENCES changesets (id),
  reason TEXT NOT NULL,
  -- what a crashed apply is finished with: records as JSON, their texts beside them
  prepared TEXT,
  restore_before TEXT REFERENCES texts (digest),
  restore_after TEXT REFERENCES texts (digest),
  finish TEXT,
  -- what applying it came to
  applied TEXT,
  applied_at REAL,
  index_before TEXT REFERENCES texts (digest),
  index_after TEXT REFERENCES texts (digest),
  spares_left INTEGER NOT NULL DEFAULT 0 CHECK (spares_left IN (0, 1))
) STRICT;
CREATE INDEX changesets_by_directory ON changesets (memory_dir, seq);
CREATE INDEX changesets_by_state ON changesets (state);
CREATE INDEX changesets_with_spares ON changesets (seq) WHERE spares_left = 1;

CREATE TABLE files (
  changeset TEXT NOT NULL REFERENCES changesets (id),
  path TEXT NOT NULL,
  position INTEGER NOT NULL,
  change TEXT NOT NULL,
  before TEXT REFERENCES texts (digest),
  after TEXT REFERENCES texts (digest),
  before_mtime_ns INTEGER,
  after_mtime_ns INTEGER,
  result TEXT NOT NULL,
  spare TEXT NOT NULL,
  reason TEXT NOT NULL,
  undone_by TEXT REFERENCES changesets (id),
  PRIMARY KEY (changeset, path)
) STRICT, WITHOUT ROWID;

-- which writes of topics hold today: neither conflicted nor taken back
CREATE VIEW standing AS
  SELECT f.changeset, f.path, c.memory_dir, c.seq FROM files AS f JOIN changesets AS c ON c.id = f.changeset
  WHERE f.result = 'written' AND f.undone_by IS NULL;

CREATE TABLE own_lines (
  changeset TEXT NOT NULL REFERENCES changesets (id),
  path TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (changeset, path, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  changeset TEXT NOT NULL REFERENCES changesets (id),
  position INTEGER NOT NULL,
  file TEXT NOT NULL,
  session TEXT NOT NULL,
  time REAL NOT NULL,
  message TEXT NOT NULL,
  uuid TEXT NOT NULL,
  quote TEXT NOT NULL,
  accepted_by TEXT,
  transcript TEXT NOT NULL,
  offset INTEGER,
  PRIMARY KEY (changeset, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX facts_by_session ON facts (session);

CREATE TABLE tombstones (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_dir TEXT NOT NULL,
  path TEXT NOT NULL,
  slug TEXT NOT NULL,
  words TEXT NOT NULL,
  time REAL NOT NULL,
  changeset TEXT REFERENCES changesets (id),
  after_seq INTEGER NOT NULL,
  lifted INTEGER NOT NULL DEFAULT 0 CHECK (lifted IN (0, 1))
) STRICT;
CREATE INDEX tombstones_by_directory ON tombstones (memory_dir);

CREATE TABLE spend (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  time REAL NOT NULL,
  upper_nano INTEGER NOT NULL CHECK (upper_nano >= 0),
  cost_nano INTEGER CHECK (cost_nano >= 0),
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX spend_by_time ON spend (time);
CREATE INDEX spend_by_stretch ON spend (session, key);

CREATE TABLE own_runs (
  session TEXT PRIMARY KEY,
  time REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- things that happened once and are remembered: kind is backup, consent, watermark …
CREATE TABLE marks (
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  time REAL NOT NULL,
  value TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;
