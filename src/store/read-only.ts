/**
 * For the caller. In the log is more, for whoever runs the server: what has to be writable for SQLite, or what PostgreSQL says.
 */
export const readOnlyMessage =
  'The database is read-only right now, and nothing was saved: try again once whoever runs the server has made it writable';
