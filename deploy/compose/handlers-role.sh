#!/bin/sh
# The role of handlers (ig.database.handlers), made with the database: docs/how-to/databases.md.
psql --set ON_ERROR_STOP=1 --username gateway --dbname gateway --set password="$(cat /run/secrets/handlers-password)" <<'END'
create role gateway_handlers login password :'password';
grant gateway_handlers to gateway;
END
