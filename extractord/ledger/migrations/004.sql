-- Requests handed over to be answered within a day, and what their answers found: it is merged into memory later.
CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  server TEXT NOT NULL,
  model TEXT NOT NULL,
  remote TEXT NOT NULL, -- its id at the server, "" while it is being sent
  time REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE batch_items (
  batch TEXT NOT NULL REFERENCES batches (id),
  name TEXT NOT NULL,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  mark TEXT NOT NULL, -- of the digest it was about
  reservation INTEGER NOT NULL,
  answer TEXT, -- candidates as JSON, NULL until it is there
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (batch, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_items_by_stretch ON batch_items (session, key);
