import type { FileHandle } from 'node:fs/promises';

/** All of them: one call may write only some, as where a disk fills. */
export async function writeBytes(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    from += (await file.write(bytes, from, bytes.length - from)).bytesWritten;
  }
}
