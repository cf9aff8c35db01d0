import { open } from 'node:fs/promises';
import type { S3Bucket } from './client.ts';

/** Bytes of a part, which is kept in memory to be signed. S3 accepts at most 10,000 parts. */
const smallestPart = 16 * 1024 * 1024;
const mostParts = 9_000;

/** Uploads a file. The key exists only when the upload is complete. */
export async function upload(
  bucket: S3Bucket,
  key: string,
  path: string,
  part = smallestPart,
): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.max(part, Math.ceil(size / mostParts));
    const read = async (start: number) => {
      const buffer = new Uint8Array(Math.min(length, size - start));
      for (let done = 0; done < buffer.length; ) {
        const { bytesRead } = await file.read(buffer, done, buffer.length - done, start + done);
        if (bytesRead === 0) throw new Error('the file became shorter while it was sent');
        done += bytesRead;
      }
      return buffer;
    };
    if (size <= length) await bucket.send({ method: 'PUT', key, body: await read(0) });
    else await inParts(bucket, key, Math.ceil(size / length), (number) => read(number * length));
  } finally {
    await file.close();
  }
}

async function inParts(
  bucket: S3Bucket,
  key: string,
  count: number,
  read: (number: number) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const begun = await bucket.text({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(begun.text)?.[1] ?? '';
  try {
    const parts: string[] = [];
    for (let number = 0; number < count; number++) {
      const query = { partNumber: String(number + 1), uploadId };
      const response = await bucket.send({ method: 'PUT', key, query, body: await read(number) });
      const tag = response.headers.get('etag') ?? '';
      parts.push(`<Part><PartNumber>${number + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    }
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const { text: answer } = await bucket.text({ method: 'POST', key, query: { uploadId }, body });
    if (answer.includes('<Error>'))
      throw new Error(`the parts were not put together: ${answer.slice(0, 300)}`);
  } catch (error) {
    await bucket.send({ method: 'DELETE', key, query: { uploadId }, expected: [404] }).catch(() => {}); // or they cost money
    throw error;
  }
}
