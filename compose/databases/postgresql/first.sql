-- Run once, in the new database `telar`. A line is a statement: the embedded engine's server reads it so.
CREATE EXTENSION pg_stat_statements;
