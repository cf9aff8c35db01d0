/** Why the system or the store refuses, in a few words for a person. */
export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return "it can't be written";
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it is not a directory';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
