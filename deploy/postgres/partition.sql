-- Turns C_KEY_VALUE into a table partitioned by day (docs/how-to/databases.md, "C_KEY_VALUE"). For PostgreSQL 14 and newer, once:
--   psql "$IG_DATABASE" --set ON_ERROR_STOP=1 --file partition.sql
-- Gateways serve on: what takes long takes no lock that they wait for, and what locks copies nothing.

-- Where it fails, run it again the same day: the constraint that it makes first refuses rows from the day after tomorrow on,
-- until the table is partitioned. Without it: alter table "C_KEY_VALUE" drop constraint "C_KEY_VALUE_BEFORE"
-- Where only its last line failed, the table is partitioned: repeat that line.

-- Proves, without a lock, that all rows so far belong before the day after tomorrow (clocks and time zones differ).
do $$ begin
  if (select relkind from pg_class where oid = '"C_KEY_VALUE"'::regclass) = 'p' then
    raise exception 'C_KEY_VALUE is partitioned already: what may be left is call c_key_value_prepare(14)';
  end if;
  perform set_config('lock_timeout', '3s', true);
  alter table "C_KEY_VALUE" drop constraint if exists "C_KEY_VALUE_BEFORE"; -- of a run that came no further
  execute format('alter table "C_KEY_VALUE" add constraint "C_KEY_VALUE_BEFORE" check ("ADD_DTTM" < %L) not valid', current_date + 2);
end $$;
alter table "C_KEY_VALUE" validate constraint "C_KEY_VALUE_BEFORE";

begin;
-- Rather fail and be tried again than let all calls wait behind one long transaction.
set local lock_timeout = '3s';
lock table "C_KEY_VALUE" in access exclusive mode;
alter table "C_KEY_VALUE" rename to "C_KEY_VALUE_BEFORE";
alter index "C_KEY_VALUE_KEY1" rename to "C_KEY_VALUE_BEFORE_KEY1";

create table "C_KEY_VALUE" (like "C_KEY_VALUE_BEFORE" including storage) partition by range ("ADD_DTTM");
create index "C_KEY_VALUE_KEY1" on "C_KEY_VALUE" ("KEY1");

-- Identity columns of partitioned tables came with PostgreSQL 17; a sequence does the same in all.
create sequence "C_KEY_VALUE_NUMBER" owned by "C_KEY_VALUE"."ROW_NBR";
select setval('"C_KEY_VALUE_NUMBER"', coalesce(max("ROW_NBR"), 0) + 1, false) from "C_KEY_VALUE_BEFORE";
alter table "C_KEY_VALUE" alter "ROW_NBR" set default nextval('"C_KEY_VALUE_NUMBER"');
alter table "C_KEY_VALUE_BEFORE" alter "ROW_NBR" drop identity;

do $$ begin
  execute format('alter table "C_KEY_VALUE" attach partition "C_KEY_VALUE_BEFORE" for values from (minvalue) to (%L)', current_date + 2);
end $$;
-- For rows of days that nobody made a partition for: nothing is lost, and it should be empty.
create table "C_KEY_VALUE_REST" partition of "C_KEY_VALUE" default;
commit;

-- Partitions for the days ahead that have none. Run it every day: call c_key_value_prepare(14). Beside a call that writes
-- for longer than three seconds it fails, rather than let all other calls wait with it: then run it again.
create or replace procedure c_key_value_prepare(days integer) language plpgsql as $$
declare
  day date;
begin
  set local lock_timeout = '3s';
  for day in select generate_series(current_date + 2, current_date + 1 + days, interval '1 day')::date loop
    execute format('create table if not exists %I partition of "C_KEY_VALUE" for values from (%L) to (%L)',
      'C_KEY_VALUE_' || to_char(day, 'YYYYMMDD'), day, day + 1);
  end loop;
end $$;

call c_key_value_prepare(14);
