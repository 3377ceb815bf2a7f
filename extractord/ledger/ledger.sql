-- Every statement of the ledger but its schema. Read by store.statements().

-- name: put_sighting
INSERT INTO sightings (session, path, inode, size, mtime_ns, cwd, project_root, memory_dir, offset, uuid, resume, unfinished)
VALUES (:session, :path, :inode, :size, :mtime_ns, :cwd, :project_root, :memory_dir, :offset, :uuid, :resume, :unfinished)
ON CONFLICT (session) DO UPDATE SET
  path = excluded.path, inode = excluded.inode, size = excluded.size, mtime_ns = excluded.mtime_ns, cwd = excluded.cwd,
  project_root = excluded.project_root, memory_dir = excluded.memory_dir, offset = excluded.offset, uuid = excluded.uuid,
  resume = excluded.resume, unfinished = excluded.unfinished;

-- name: sightings
SELECT * FROM sightings WHERE :session IS NULL OR session = :session;

-- name: stamps
SELECT session, inode, size, mtime_ns, unfinished FROM sightings WHERE :session IS NULL OR session = :session;

-- name: reopen_sighting
UPDATE sightings SET unfinished = 1 WHERE session = :session;

-- name: root_seen
SELECT project_root FROM sightings WHERE cwd = :cwd AND project_root IS NOT NULL ORDER BY mtime_ns DESC LIMIT 1;

-- name: add_handled
INSERT OR IGNORE INTO handled (uuid, session) SELECT value, :session FROM json_each(:uuids);

-- name: handled
SELECT uuid FROM handled
WHERE uuid IN (SELECT value FROM json_each(:uuids)) AND (:other_than IS NULL OR session <> :other_than);

-- name: add_outcome
INSERT INTO outcomes (session, key, number, memory_dir, project, transcript, outcome, reason, time, ended, topics, input_tokens,
  output_tokens, cost_usd, seconds, attempts, next_try, parked, changeset, sandbox)
VALUES (:session, :key, :number, :memory_dir, :project, :transcript, :outcome, :reason, :time, :ended, :topics, :input_tokens,
  :output_tokens, :cost_usd, :seconds, :attempts, :next_try, :parked, :changeset, :sandbox);

-- name: drop_unreadable
DELETE FROM outcomes WHERE session = :session AND key = '' AND outcome = 'failed';

-- name: current_outcomes
SELECT * FROM current_outcomes WHERE :session IS NULL OR session = :session ORDER BY number, seq;

-- name: current_outcome
SELECT * FROM current_outcomes WHERE session = :session AND key = :key;

-- name: outcome_history
SELECT * FROM outcomes WHERE session = :session AND key = :key ORDER BY seq DESC;

-- name: retries
SELECT * FROM current_outcomes WHERE outcome IN ('failed', 'postponed') AND parked = 0 ORDER BY next_try, seq;

-- name: unpark
UPDATE outcomes SET parked = 0, attempts = 0, next_try = NULL
WHERE seq IN (SELECT seq FROM current_outcomes WHERE session = :session AND parked = 1);

-- name: session_sums
SELECT session, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd,
  sum(seconds) AS seconds, max(seq) AS newest
FROM outcomes GROUP BY session ORDER BY newest DESC;

-- name: totals
SELECT (SELECT count(*) FROM sightings) AS sessions_known,
  (SELECT count(*) FROM current_outcomes WHERE parked = 1) AS parked,
  (SELECT count(*) FROM changesets WHERE state = 'held') AS pending_review;

-- name: sessions_since
SELECT count(DISTINCT session) AS sessions FROM outcomes
WHERE memory_dir = :memory_dir AND time > :since AND outcome NOT IN ('failed', 'postponed');

-- name: last_outcome
SELECT * FROM outcomes ORDER BY seq DESC LIMIT 1;

-- name: claim_of
SELECT owner AS token, pid, started FROM claims WHERE session = :session AND key = :key;

-- name: put_claim
INSERT OR REPLACE INTO claims (session, key, memory_dir, owner, pid, started, time)
VALUES (:session, :key, :memory_dir, :token, :pid, :started, :time);

-- name: drop_claim
DELETE FROM claims WHERE session = :session AND key = :key AND owner = :token;

-- name: drop_claims
DELETE FROM claims WHERE owner = :token;

-- name: put_text
INSERT OR IGNORE INTO texts (digest, body) VALUES (:digest, :body);

-- name: text
SELECT body FROM texts WHERE digest = :digest;

-- name: id_taken
SELECT 1 FROM changesets WHERE id = :id;

-- name: add_changeset
INSERT INTO changesets (id, time, session, stretch_key, memory_dir, outcome, kind, state, undoes, accepts, reason)
VALUES (:id, :time, :session, :stretch_key, :memory_dir, :outcome, :kind, :state, :undoes, :accepts, :reason);

-- name: set_prepared
UPDATE changesets SET prepared = :prepared, restore_before = :restore_before, restore_after = :restore_after, finish = :finish
WHERE id = :id;

-- name: set_applied
UPDATE changesets SET state = :state, outcome = :outcome, applied = :applied, applied_at = :applied_at, index_before = :index_before,
  index_after = :index_after, spares_left = :spares_left, finish = NULL
WHERE id = :id;

-- name: set_state
UPDATE changesets SET state = :state WHERE id = :id;

-- name: set_reason
UPDATE changesets SET reason = :reason WHERE id = :id;

-- name: add_file
INSERT INTO files (changeset, path, position, change, before, after, before_mtime_ns, after_mtime_ns, result, spare, reason, mode)
VALUES (:changeset, :path, :position, :change, :before, :after, :before_mtime_ns, :after_mtime_ns, :result, :spare, :reason, :mode);

-- name: set_file_result
UPDATE files SET result = :result WHERE changeset = :changeset AND path = :path;

-- name: set_undone_by
UPDATE files SET undone_by = :undone_by
WHERE changeset = :changeset AND result = 'written' AND path IN (SELECT value FROM json_each(:paths));

-- name: pending_files
SELECT f.path, f.after FROM files AS f JOIN changesets AS c ON c.id = f.changeset
WHERE c.state = 'held' AND f.result = 'held' AND c.memory_dir = :memory_dir;

-- name: memory_dirs
SELECT memory_dir FROM sightings UNION SELECT memory_dir FROM changesets ORDER BY memory_dir;

-- name: places
SELECT DISTINCT json_extract(prepared, '$.directory') AS place FROM changesets WHERE memory_dir = :memory_dir AND prepared IS NOT NULL;

-- name: head
SELECT * FROM changesets WHERE id = :id;

-- name: heads_with_prefix
SELECT id FROM changesets WHERE substr(id, 1, length(:prefix)) = :prefix ORDER BY seq LIMIT 4;

-- name: heads
SELECT * FROM changesets
WHERE (:since IS NULL OR time >= :since) AND (:memory_dir IS NULL OR memory_dir = :memory_dir)
ORDER BY seq DESC LIMIT coalesce(:limit, -1);

-- name: heads_in_state
SELECT * FROM changesets WHERE state = :state AND (:memory_dir IS NULL OR memory_dir = :memory_dir) ORDER BY seq;

-- name: heads_with_spares
SELECT * FROM changesets WHERE spares_left = 1 AND (:memory_dir IS NULL OR memory_dir = :memory_dir) ORDER BY seq;

-- name: spares_gone
UPDATE changesets SET spares_left = 0 WHERE id = :id;

-- name: set_outcome
UPDATE changesets SET outcome = :outcome WHERE id = :id;

-- name: changed_files
SELECT changeset, path, change, result, undone_by FROM files
WHERE changeset IN (SELECT value FROM json_each(:ids)) ORDER BY changeset, position;

-- name: files
SELECT f.path, f.change, b.body AS before, a.body AS after, f.before_mtime_ns, f.after_mtime_ns, f.result, f.spare, f.reason, f.undone_by,
  f.mode, f.let_go
FROM files AS f LEFT JOIN texts AS b ON b.digest = f.before LEFT JOIN texts AS a ON a.digest = f.after
WHERE f.changeset = :changeset ORDER BY f.position;

-- name: own_topics
SELECT path, after FROM
  (SELECT f.path, f.after, max(c.seq) AS newest FROM files AS f JOIN changesets AS c ON c.id = f.changeset
   WHERE c.memory_dir = :memory_dir AND f.result = 'written' GROUP BY f.path) AS last
WHERE after IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM tombstones AS t WHERE t.memory_dir = :memory_dir AND t.path = last.path AND t.changeset IS NULL AND t.lifted = 0
   AND t.slug <> '' AND t.after_seq >= last.newest)
ORDER BY path;

-- name: add_own_line
INSERT OR IGNORE INTO own_lines (changeset, path, line) VALUES (:changeset, :path, :line);

-- name: own_lines
SELECT DISTINCT o.line FROM standing AS s JOIN own_lines AS o ON o.changeset = s.changeset AND o.path = s.path
WHERE s.memory_dir = :memory_dir AND s.path = :path;

-- name: own_lines_of_directory
SELECT DISTINCT o.path, o.line FROM standing AS s JOIN own_lines AS o ON o.changeset = s.changeset AND o.path = s.path
WHERE s.memory_dir = :memory_dir;

-- name: changes_of_lines
SELECT o.line, s.changeset FROM standing AS s JOIN own_lines AS o ON o.changeset = s.changeset AND o.path = s.path
WHERE s.memory_dir = :memory_dir AND s.path = :path ORDER BY s.seq;

-- name: add_fact
INSERT INTO facts (changeset, position, file, session, time, message, uuid, quote, accepted_by, transcript, offset)
VALUES (:changeset, :position, :file, :session, :time, :message, :uuid, :quote, :accepted_by, :transcript, :offset);

-- name: facts_of_changeset
SELECT * FROM facts WHERE changeset = :changeset ORDER BY position;

-- name: facts_of_directory
SELECT f.* FROM standing AS s JOIN facts AS f ON f.changeset = s.changeset AND f.file = s.path
WHERE s.memory_dir = :memory_dir AND (:file IS NULL OR f.file = :file) ORDER BY f.file, s.seq, f.position;

-- name: facts_of_session
SELECT f.* FROM facts AS f JOIN standing AS s ON s.changeset = f.changeset AND s.path = f.file
WHERE f.session = :session ORDER BY s.seq, f.position;

-- name: add_tombstone
INSERT INTO tombstones (memory_dir, path, slug, words, time, changeset, after_seq)
VALUES (:memory_dir, :path, :slug, :words, :time, :changeset, (SELECT coalesce(max(seq), 0) FROM changesets));

-- name: tombstones
SELECT t.* FROM tombstones AS t
WHERE t.memory_dir = :memory_dir AND t.lifted = 0 AND (t.changeset IS NULL OR EXISTS
  (SELECT 1 FROM standing AS s WHERE s.changeset = t.changeset AND s.path = t.path))
ORDER BY t.time DESC, t.seq DESC;

-- name: spent_on_stretch
SELECT coalesce(sum(coalesce(cost_nano, upper_nano)), 0) AS nano FROM spend
WHERE session = :session AND key = :key AND time >= :since;

-- name: spent_since
SELECT coalesce(sum(coalesce(cost_nano, upper_nano)), 0) AS nano FROM spend WHERE time >= :since;

-- name: add_reservation
INSERT INTO spend (session, key, time, upper_nano) VALUES (:session, :key, :time, :upper_nano) RETURNING seq;

-- name: settle
UPDATE spend SET cost_nano = :cost_nano, input_tokens = :input_tokens, output_tokens = :output_tokens,
  cache_read_tokens = :cache_read_tokens, cache_write_tokens = :cache_write_tokens
WHERE seq = :seq AND cost_nano IS NULL;

-- name: spend
SELECT count(*) AS calls, count(*) - count(cost_nano) AS unsettled, coalesce(sum(input_tokens), 0) AS input_tokens,
  coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
  coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens, coalesce(sum(coalesce(cost_nano, upper_nano)), 0) AS nano
FROM spend WHERE time >= :since;

-- name: spend_by
SELECT strftime(:form, time, 'unixepoch', 'localtime') AS period, count(*) AS calls, coalesce(sum(input_tokens), 0) AS input_tokens,
  coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(coalesce(cost_nano, upper_nano)), 0) AS nano
FROM spend WHERE time >= :since GROUP BY period ORDER BY period DESC;

-- name: add_own_run
INSERT OR IGNORE INTO own_runs (session, time) VALUES (:session, :time);

-- name: begin_own_run
INSERT INTO own_runs (session, time)
SELECT :session, :time WHERE (SELECT count(*) FROM own_runs WHERE time >= :since) < :most;

-- name: own_runs
SELECT session FROM own_runs WHERE time >= :since;

-- name: put_mark
INSERT OR REPLACE INTO marks (kind, subject, time, value) VALUES (:kind, :subject, :time, :value);

-- name: add_mark
INSERT OR IGNORE INTO marks (kind, subject, time, value) VALUES (:kind, :subject, :time, :value);

-- name: mark
SELECT time, value FROM marks WHERE kind = :kind AND subject = :subject;

-- name: marks
SELECT subject, value FROM marks WHERE kind = :kind;

-- name: subjects_of_value
SELECT subject FROM marks WHERE kind = :kind AND value = :value;

-- name: drop_marks_before
DELETE FROM marks WHERE kind = :kind AND time < :time;

-- name: marks_since
SELECT count(*) AS marks FROM marks WHERE kind = :kind AND time >= :since;

-- name: marks_of_value
SELECT count(*) AS marks FROM marks WHERE kind = :kind AND value = :value;

-- name: older_without_outcome
SELECT subject FROM marks WHERE kind = 'older' AND NOT EXISTS (SELECT 1 FROM outcomes WHERE session = subject);

-- name: files_to_let_go
WITH newest AS
  (SELECT c.memory_dir, f.path, max(c.seq) AS seq FROM files AS f JOIN changesets AS c ON c.id = f.changeset
   WHERE f.result = 'written' GROUP BY c.memory_dir, f.path)
SELECT f.changeset, f.path,
  (SELECT last.after FROM files AS last JOIN changesets AS of ON of.id = last.changeset
   WHERE of.seq = n.seq AND last.path = f.path) AS newest
FROM files AS f JOIN changesets AS c ON c.id = f.changeset
LEFT JOIN newest AS n ON n.memory_dir = c.memory_dir AND n.path = f.path
WHERE f.let_go = 0 AND c.time < :before AND c.spares_left = 0 AND c.state NOT IN ('prepared', 'held') AND f.result <> 'held'
  AND (n.seq IS NULL OR n.seq <> c.seq);

-- name: let_go_of_file
UPDATE files SET before = NULL, after = NULL, let_go = 1 WHERE changeset = :changeset AND path = :path;

-- name: let_go_of_changesets
UPDATE changesets SET prepared = json_object('directory', json_extract(prepared, '$.directory')), applied = NULL, finish = NULL,
  restore_before = NULL, restore_after = NULL, index_before = NULL, index_after = NULL
WHERE applied IS NOT NULL AND EXISTS (SELECT 1 FROM files WHERE changeset = id)
  AND NOT EXISTS (SELECT 1 FROM files WHERE changeset = id AND let_go = 0);

-- name: drop_texts
DELETE FROM texts WHERE digest NOT IN
  (SELECT before FROM files WHERE before IS NOT NULL UNION SELECT after FROM files WHERE after IS NOT NULL
   UNION SELECT restore_before FROM changesets WHERE restore_before IS NOT NULL
   UNION SELECT restore_after FROM changesets WHERE restore_after IS NOT NULL
   UNION SELECT index_before FROM changesets WHERE index_before IS NOT NULL
   UNION SELECT index_after FROM changesets WHERE index_after IS NOT NULL);

-- name: own_lines_of
SELECT line FROM own_lines WHERE changeset = :changeset AND path = :path;

-- name: drop_own_line
DELETE FROM own_lines WHERE changeset = :changeset AND path = :path AND line = :line;

-- name: let_go_of_quotes
UPDATE facts SET quote = '' WHERE time < :before AND quote <> ''
  AND changeset NOT IN (SELECT id FROM changesets WHERE state IN ('held', 'prepared'));

-- name: add_batch
INSERT INTO batches (id, server, model, remote, time) VALUES (:id, :server, :model, :remote, :time);

-- name: add_batch_item
INSERT INTO batch_items (batch, name, session, key, chunk, mark, reservation, answer, input_tokens, output_tokens, cost_usd)
VALUES (:batch, :name, :session, :key, :chunk, :mark, :reservation, :answer, :input_tokens, :output_tokens, :cost_usd);

-- name: batch_sent
UPDATE batches SET remote = :remote WHERE id = :id;

-- name: open_batches
SELECT * FROM batches AS b WHERE EXISTS (SELECT 1 FROM batch_items AS i WHERE i.batch = b.id AND i.answer IS NULL) ORDER BY time, id;

-- name: batch_items
SELECT * FROM batch_items WHERE batch = :batch ORDER BY name;

-- name: batch_items_of
SELECT * FROM batch_items WHERE session = :session AND key = :key ORDER BY chunk;

-- name: stretches_in_batches
SELECT DISTINCT session, key FROM batch_items;

-- name: answer_batch_item
UPDATE batch_items SET answer = :answer, input_tokens = :input_tokens, output_tokens = :output_tokens, cost_usd = :cost_usd
WHERE batch = :batch AND name = :name AND answer IS NULL;

-- name: drop_waiting_items
DELETE FROM batch_items WHERE batch = :batch AND answer IS NULL;

-- name: drop_batch_items_of
DELETE FROM batch_items WHERE session = :session AND key = :key;

-- name: drop_empty_batches
DELETE FROM batches WHERE NOT EXISTS (SELECT 1 FROM batch_items AS i WHERE i.batch = batches.id);
