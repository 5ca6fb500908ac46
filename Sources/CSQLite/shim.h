#ifndef DRILLDOWN_CSQLITE_SHIM_H
#define DRILLDOWN_CSQLITE_SHIM_H

#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the bytes before the call returns. */
static inline int
shim_bind_text(sqlite3_stmt *statement, int index, const char *text, int length)
{
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/* sqlite3_db_config takes a variable number of arguments. */
static inline int
shim_set_defensive(sqlite3 *database)
{
  int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result != SQLITE_OK) return result;
  return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

#endif
