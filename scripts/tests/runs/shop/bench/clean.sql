DELETE FROM visit WHERE id > 1;
