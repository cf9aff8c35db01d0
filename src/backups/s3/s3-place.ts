import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest, writeManifest } from '../manifest.ts';
import {
  type BackupName,
  type BackupPlace,
  draftParts,
  fileOf,
  manifestFileOf,
  newestFirst,
  PlaceFailure,
  readFileName,
  uuid,
} from '../place.ts';
import type { S3Bucket } from './client.ts';
import { sha256 } from './sign.ts';
import { upload } from './upload.ts';

export interface S3PlaceOptions {
  /** Prepended to every key. */
  readonly prefix: string;
  /** A local folder in which files are made before they are uploaded. */
  readonly scratch: string;
  /** Bytes of a part of an upload; for tests. */
  readonly part?: number;
}

const draftName = new RegExp(`^([a-z0-9_-]+)\\.(${uuid})\\.db\\.incomplete(?:-\\w+)?$`);

/** A bucket. The manifest is uploaded last, so that a backup exists only when it is complete. */
export function s3Place(bucket: S3Bucket, { prefix, scratch, part }: S3PlaceOptions): BackupPlace {
  const start = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;
  const draftOf = ({ project, id }: BackupName) => join(scratch, `${project}.${id}.db.incomplete`);
  const names = () => listNames(bucket, start);
  const isThere = async (file: string) => {
    const key = `${start}${file}`;
    return (await bucket.send({ method: 'HEAD', key, expected: [404] })).status !== 404;
  };
  return {
    async draft(name) {
      await mkdir(scratch, { recursive: true, mode: 0o700 });
      return draftOf(name);
    },
    async discard(name) {
      for (const part of draftParts) await rm(`${draftOf(name)}${part}`, { force: true });
    },
    async keep(manifest, confirm) {
      const name = { project: manifest.project, id: manifest._id };
      await upload(bucket, `${start}${fileOf(name)}`, draftOf(name), part);
      await confirm();
      const body = writeManifest(manifest);
      await bucket.send({ method: 'PUT', key: `${start}${manifestFileOf(name)}`, body });
      await rm(draftOf(name), { force: true });
    },
    async list() {
      return (await names()).filter(({ kind }) => kind === 'json').sort(newestFirst);
    },
    async findManifest(name) {
      const key = `${start}${manifestFileOf(name)}`;
      const { status, text } = await bucket.text({ method: 'GET', key, expected: [404] });
      return status === 404 ? undefined : readManifest(text);
    },
    hasFile: (name) => isThere(fileOf(name)),
    read: (name) => bucket.bytes({ method: 'GET', key: `${start}${fileOf(name)}` }),
    async remove(name) {
      if (!(await isThere(manifestFileOf(name)))) return false;
      for (const path of [manifestFileOf(name), fileOf(name)])
        await bucket.send({ method: 'DELETE', key: `${start}${path}`, expected: [404] });
      return true;
    },
    async sweep(isOver) {
      for (const file of await readdir(scratch).catch(() => [])) {
        const [, project, id] = draftName.exec(file) ?? [];
        if (project && id && (await isOver({ project, id }))) await rm(join(scratch, file), { force: true });
      }
      const found = await names();
      const whole = new Set(found.filter(({ kind }) => kind === 'json').map(({ id }) => id));
      for (const name of found) {
        if (whole.has(name.id) || !(await isOver(name))) continue;
        if (await isThere(manifestFileOf(name))) continue; // completed since the files were listed
        await bucket.send({ method: 'DELETE', key: `${start}${fileOf(name)}`, expected: [404] });
      }
    },
    close: () => bucket.close(),
  };
}

type FileName = NonNullable<ReturnType<typeof readFileName>>;

/** Far more than anybody keeps: a service that lists without end must not fill the memory. */
const mostNames = 200_000;

/** Fifty times what they need with a thousand on each: some services give fewer, and other files may have the prefix too. */
const mostPages = 10_000;

/** All files of backups with a prefix, listed a thousand keys at a time. */
async function listNames(bucket: S3Bucket, prefix: string): Promise<FileName[]> {
  const names: FileName[] = [];
  /** Hashes of the tokens, which may be long. A service that goes on where it has been already would be asked for ever. */
  const seen = new Set<string>();
  let token: string | undefined;
  for (;;) {
    const page = await listPage(bucket, prefix, token);
    for (const key of page.keys) {
      const name = readFileName(key.slice(prefix.length));
      if (name) names.push(structuredClone(name)); // parts of the page's text would keep all of it in memory
    }
    if (names.length > mostNames)
      throw refusedList(`more than ${mostNames} files of backups: remove some, or use another prefix`);
    token = page.next;
    if (token === undefined) return names;
    const hash = sha256(token);
    if (seen.has(hash)) throw refusedList('the same files again and again');
    if (seen.add(hash).size >= mostPages)
      throw refusedList(`more than ${mostPages} pages of files: use a prefix that no other files have`);
  }
}

const refusedList = (what: string) =>
  new PlaceFailure('unavailable', `The place of the backups lists ${what}`, { retryAfter: 60 });

async function listPage(
  bucket: S3Bucket,
  prefix: string,
  token: string | undefined,
): Promise<{ keys: string[]; next: string | undefined }> {
  const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
  const { text } = await bucket.text({ method: 'GET', query });
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => plainText(key));
  const isPart = /<IsTruncated>true<\/IsTruncated>/.test(text);
  const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(text)?.[1];
  return { keys, next: isPart && next !== undefined ? plainText(next) : undefined };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const plainText = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => entities[name] ?? '');
