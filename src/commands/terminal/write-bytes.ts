import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes: a single call may write only some, as when the disk gets full. */
export async function writeBytes(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    from += (await file.write(bytes, from, bytes.length - from)).bytesWritten;
  }
}
