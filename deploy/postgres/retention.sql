-- Removes staged rows that are older than so many days (docs/how-to/databases.md, "C_KEY_VALUE"). For PostgreSQL 14 and newer;
-- once to define it, then every night: call c_key_value_expire(90)
--
-- A partition whose days are all over is dropped as a whole. What is in no such partition, or in no partition at all, is
-- deleted oldest first, a slice and a commit at a time, so that no call waits for long. Of the slice that it looks at it
-- deletes what is old enough, and ends where nothing is: rows are numbered in the order of their insertion.
create or replace procedure c_key_value_expire(days integer, slice integer default 10000) language plpgsql as $$
declare
  oldest date := current_date - days;
  part record;
  removed bigint;
  -- A partitioned table has no index by number: only partitions that have something old are looked through.
  ceiling "C_KEY_VALUE"."ADD_DTTM"%type :=
    (select case relkind when 'p' then oldest else 'infinity' end from pg_class where oid = '"C_KEY_VALUE"'::regclass);
begin
  for part in
    select child.oid::regclass as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = '"C_KEY_VALUE"'::regclass
      and substring(pg_get_expr(child.relpartbound, child.oid) from 'TO \(''(\d{4}-\d\d-\d\d)')::date <= oldest
  loop
    set local lock_timeout = '3s';
    execute format('drop table %s', part.name);
    commit;
  end loop;
  loop
    delete from "C_KEY_VALUE" where "ROW_NBR" in (
      select "ROW_NBR" from (
        select "ROW_NBR", "ADD_DTTM" from "C_KEY_VALUE" where "ADD_DTTM" < ceiling order by "ROW_NBR" limit slice
      ) first_rows where "ADD_DTTM" < oldest
    ) and "ADD_DTTM" < oldest;
    get diagnostics removed = row_count;
    commit;
    exit when removed = 0;
  end loop;
end $$;
