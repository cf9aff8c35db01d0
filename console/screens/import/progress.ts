import { useState } from 'preact/hooks';
import type { Checked, Mapping } from './to-payload.ts';

/** An unfinished import: it can be resumed in this browser by choosing the same file again. */
export interface Progress {
  readonly file: string;
  readonly size: number;
  readonly mapping: Mapping;
  /** A hash of the rows as they are sent: if the file or the mapping has changed, it is another import. */
  readonly digest: string;
  /** The prefix of the idempotency keys of its batches, so that none is written twice. */
  readonly run: string;
  readonly total: number;
  readonly written: number;
  readonly at: number;
}

/** Milliseconds. The server remembers idempotency keys for 24 hours; an hour is left for the rest of the import. */
const longest = 23 * 60 * 60_000;

export interface ProgressControl {
  readonly kept: Progress | undefined;
  write(progress: Progress | undefined): void;
}

export function useProgress(project: string, collection: string): ProgressControl {
  const key = `vitrine import ${project}/${collection}`;
  const [kept, setKept] = useState(() => read(key));
  return {
    kept,
    write(progress) {
      setKept(progress);
      try {
        if (progress) localStorage.setItem(key, JSON.stringify(progress));
        else localStorage.removeItem(key);
      } catch {} // the storage is full: it can be resumed only in this page
    },
  };
}

function read(key: string): Progress | undefined {
  try {
    const progress = JSON.parse(localStorage.getItem(key) ?? 'null') as Progress | null;
    if (progress !== null && Date.now() - progress.at < longest) return progress;
    localStorage.removeItem(key);
  } catch {}
  return undefined;
}

interface ChosenFile {
  readonly name: string;
  readonly size: number;
}

export const isOf = (progress: Progress | undefined, file: ChosenFile) =>
  progress?.file === file.name && progress.size === file.size;

export function beginProgress(file: ChosenFile, mapping: Mapping, rows: readonly Checked[]): Progress {
  const run = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
  const { name, size } = file;
  const digest = digestOf(rows);
  return { file: name, size, mapping, digest, run, total: rows.length, written: 0, at: Date.now() };
}

/** FNV-1a in two lanes: guards against mistakes, not attacks. `crypto.subtle` exists only in secure contexts. */
export function digestOf(rows: readonly Checked[]): string {
  let one = 0x811c9dc5;
  let two = 0x01000193;
  for (const { payload } of rows) {
    const text = JSON.stringify(payload);
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ (code + at), 0x01000193);
    }
  }
  return `${one >>> 0} ${two >>> 0}`;
}
