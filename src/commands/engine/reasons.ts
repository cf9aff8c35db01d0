/** A short reason for an error of the system or the store. Node's fetch has it in the cause. */
export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return 'nothing listens there';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return "it can't be written";
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it is not a directory';
    default:
      if (error instanceof Error && error.message === 'fetch failed' && error.cause)
        return reasonOf(error.cause);
      return error instanceof Error ? error.message : String(error);
  }
}

export function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? error.code : codeOf(error.cause);
}
