/** For the caller. What is to be done about it is in the log, for whoever runs the server. */
export const readOnlyMessage =
  'The database is read-only right now, and nothing was saved: try again once whoever runs the server has made it writable';
