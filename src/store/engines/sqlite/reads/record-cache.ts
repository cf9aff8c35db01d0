import type { Scope } from '../../../../access/scope.ts';

/** What is cached of a record. */
export interface CachedRecord {
  readonly id: string;
  readonly json: string;
  readonly owner: string | null;
  readonly workspace: string | null;
}

/** 16 MB: some 35,000 records of 450 bytes. Chunks are allocated as they are needed; then the oldest is filled anew. */
const chunkBytes = 1024 * 1024;
const mostChunks = 16;
/** The most records of a chunk, which have 256 bytes each on average then. */
const chunkRecords = 4_096;
/** Bytes of a record: a larger one would displace many. */
const largest = 16 * 1024;

/** Numbers of a record: its space, the hash of its id, where its text starts in the chunk, and the bytes of text, owner and workspace. */
const [SPACE, HASH, START, TEXT, OWNER, WORKSPACE] = [0, 1, 2, 3, 4, 5] as const;
const width = 6;

/** The lower half of a slot is the index of a record, the upper half that of its hash. */
const slots = 2 ** 17;
const lowerHalf = 0xffff;
/** A record is in one of so many slots, beginning with the one that its hash names. */
const window = 4;

/**
 * Records that were viewed lately, of all projects of a process. A View that finds its record here took the thread 18.4 to 27.2
 * µs, where it took 24.8 to 31.8. They are bytes in a few large buffers, not strings that each collection of garbage has to
 * visit. When the buffers are full, a record must be asked for twice before it gets in: whoever reads everything once displaces
 * nothing.
 *
 * A record belongs to a space, a number. Records of which it is not known what became of them are left behind by going on with
 * another space.
 */
export class RecordCache {
  readonly #chunks: Buffer[] = [];
  /** The numbers of all records; none has the index 0. */
  #records = new Int32Array(0);
  #table = new Int32Array(0);
  /** Which records were asked for lately: the upper half of the hash, in the place of the lower one. */
  #asked = new Uint16Array(0);
  #spaces = 0;
  #users = 0;
  /** The chunk that is being filled, and how many records and bytes are in it. */
  #chunk = 0;
  #count = 0;
  #end = 0;

  newSpace(): number {
    this.#spaces = (this.#spaces % 0x7fffffff) + 1;
    return this.#spaces;
  }

  /** For each project that is opened. */
  enter(): void {
    this.#users += 1;
  }

  /** For each that is closed. The last one frees the memory. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#chunks.length = 0;
    this.#records = this.#table = new Int32Array(0);
    this.#asked = new Uint16Array(0);
  }

  /** undefined: it is not here, or not in scope. */
  find(space: number, id: string, scope: Scope): string | undefined {
    if (this.#chunks.length === 0) return undefined;
    const index = this.#find(space, hashOf(space, id));
    if (index === 0 || !this.#isInScope(index, scope)) return undefined;
    const json = this.#text(index, 0, this.#number(index, TEXT));
    // Another id may have the same hash. Every record begins with {"_id":"…".
    return json.startsWith(id, 8) && json.indexOf('"', 8) === 8 + id.length ? json : undefined;
  }

  /** Also a record whose id has the same hash. */
  forget(space: number, id: string): void {
    const index = this.#find(space, hashOf(space, id));
    if (index > 0) this.#records[index * width + SPACE] = 0;
  }

  keep(space: number, { id, json, owner, workspace }: CachedRecord): void {
    if (json.length > largest) return;
    const hash = hashOf(space, id);
    if (this.#chunks.length === mostChunks && !this.#isAskedAgain(hash)) return;
    const text = `${json}${owner ?? ''}${workspace ?? ''}`;
    const bytes = Buffer.byteLength(text);
    if (bytes > largest) return;
    this.forget(space, id); // one of the same hash, which would be the one that is forgotten when this one changes
    const index = this.#place(bytes);
    const [ofOwner, ofWorkspace] = [Buffer.byteLength(owner ?? ''), Buffer.byteLength(workspace ?? '')];
    const ofJson = bytes - ofOwner - ofWorkspace;
    this.#records.set([space, hash, this.#end, ofJson, ofOwner, ofWorkspace], index * width);
    this.#chunks[this.#chunk]?.write(text, this.#end);
    this.#end += bytes;
    this.#enter(hash, index);
  }

  #find(space: number, hash: number): number {
    for (let step = 0; step < window; step++) {
      const slot = this.#table[(hash + step) & (slots - 1)] ?? 0;
      if ((slot ^ hash) >>> 16 !== 0) continue;
      const index = slot & lowerHalf;
      if (this.#number(index, SPACE) === space && this.#number(index, HASH) === hash) return index;
    }
    return 0;
  }

  #isInScope(index: number, scope: Scope): boolean {
    switch (scope.kind) {
      case 'all':
        return true;
      case 'owner':
        return scope.owner !== '' && this.#owner(index) === scope.owner;
      case 'workspace':
        return scope.workspace !== '' && this.#workspace(index) === scope.workspace;
    }
  }

  /** '' for none. */
  #owner(index: number): string {
    const from = this.#number(index, TEXT);
    return this.#text(index, from, from + this.#number(index, OWNER));
  }

  #workspace(index: number): string {
    const from = this.#number(index, TEXT) + this.#number(index, OWNER);
    return this.#text(index, from, from + this.#number(index, WORKSPACE));
  }

  #number(index: number, which: number): number {
    return this.#records[index * width + which] ?? 0;
  }

  /** `from`, `to`: from the start of the record's text. */
  #text(index: number, from: number, to: number): string {
    const start = this.#number(index, START);
    const chunk = this.#chunks[Math.floor(index / chunkRecords)];
    return chunk?.toString('utf8', start + from, start + to) ?? '';
  }

  #isAskedAgain(hash: number): boolean {
    const [place, mark] = [hash & lowerHalf, hash >>> 16];
    if (this.#asked[place] === mark) return true;
    this.#asked[place] = mark;
    return false;
  }

  /** The index of a new record, whose text begins at `#end` of the chunk. */
  #place(bytes: number): number {
    if (this.#chunks.length === 0) this.#begin();
    else if (this.#count === chunkRecords || this.#end + bytes > chunkBytes)
      this.#fill((this.#chunk + 1) % mostChunks);
    return this.#chunk * chunkRecords + this.#count++;
  }

  #begin(): void {
    this.#records = new Int32Array(mostChunks * chunkRecords * width);
    this.#table = new Int32Array(slots);
    this.#asked = new Uint16Array(lowerHalf + 1);
    this.#fill(0);
  }

  #fill(chunk: number): void {
    this.#chunks[chunk] ??= Buffer.allocUnsafeSlow(chunkBytes);
    const [first, next] = [chunk, chunk + 1].map((each) => each * chunkRecords * width);
    this.#records.fill(0, first, next);
    this.#chunk = chunk;
    this.#count = 1; // as 0 is no index
    this.#end = 0;
  }

  /** Takes a free slot, or else that of another record, which is not found any more then. */
  #enter(hash: number, index: number): void {
    let place = hash + (index % window);
    for (let step = 0; step < window; step++) {
      if (this.#isTaken(this.#table[(hash + step) & (slots - 1)] ?? 0)) continue;
      place = hash + step;
      break;
    }
    this.#table[place & (slots - 1)] = (hash & ~lowerHalf) | index;
  }

  /** Whether the record that a slot names is still there. */
  #isTaken(slot: number): boolean {
    const index = slot & lowerHalf;
    return this.#number(index, SPACE) > 0 && (this.#number(index, HASH) ^ slot) >>> 16 === 0;
  }
}

/** Ids are random at their end. */
function hashOf(space: number, id: string): number {
  let hash = space;
  for (let at = Math.max(0, id.length - 12); at < id.length; at++)
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
}
