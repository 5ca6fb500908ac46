#ifndef DRILLDOWN_CSQLITE_SHIM_H
#define DRILLDOWN_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Swift does not import SQLITE_TRANSIENT, which is a cast. It makes SQLite copy the bytes before the call returns. */
static inline int
shim_bind_text(sqlite3_stmt *statement, int index, const char *text, int length)
{
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int
shim_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length)
{
  /* For a null pointer, SQLite would bind NULL. Swift may pass a null pointer for an empty array. */
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

/* sqlite3_config takes a variable number of arguments. */
static inline int
shim_leave_memory_uncounted(void)
{
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* sqlite3_db_config takes a variable number of arguments. SQLITE_DBCONFIG_TRUSTED_SCHEMA stays on: the constraints of a
   tree use the functions of JSON, which SQLite 3.40 does not count as innocuous. */
static inline int
shim_defend(sqlite3 *database)
{
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/* For databases of other programs: their views and triggers can call only functions that SQLite counts as innocuous. */
static inline int
shim_distrust(sqlite3 *database)
{
  return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/* When the connection is closed, its log is neither copied to the database nor removed. */
static inline int
shim_leave_log(sqlite3 *database)
{
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
