"""The one path from an empty file to today's schema: NNN.sql brings ``user_version`` from NNN-1 to NNN. Never edited once released."""
