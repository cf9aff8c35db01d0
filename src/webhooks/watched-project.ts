import type { NotedWork } from '../store/coordination.ts';

/** Milliseconds after which a project is checked even if nothing has changed in it. */
const checkEvery = 2_000;

/** What the sender knows of a project with webhooks. Times are those of `performance`. */
export class WatchedProject {
  /** The note of its work, as last listed. */
  noted: NotedWork;
  /** When to check it next. */
  due = 0;
  #isChecked = false;
  /** For each webhook that is not paused: how many changes waited when it was last sent. */
  #waiting: ReadonlyMap<string, number> = new Map();
  /** For each webhook that is being sent: whether something has changed since that began. */
  readonly #sending = new Map<string, { changed: boolean }>();
  #unwatch = () => {};

  constructor(noted: NotedWork) {
    this.noted = noted;
  }

  get isChecked(): boolean {
    return this.#isChecked;
  }

  /** Whether it is being checked, or one of its webhooks pumped. */
  get isBusy(): boolean {
    return this.#isChecked || this.#sending.size > 0;
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, one) => sum + one, 0);
  }

  beginCheck(): void {
    this.#isChecked = true;
    this.due = performance.now() + checkEvery;
  }

  endCheck(): void {
    this.#isChecked = false;
  }

  checkWithin(ms: number): void {
    this.due = Math.min(this.due, performance.now() + ms);
  }

  /** The active webhooks that are not being sent. */
  idle(active: readonly string[]): string[] {
    this.#waiting = new Map(active.map((id) => [id, this.#waiting.get(id) ?? 0]));
    return active.filter((id) => !this.#sending.has(id));
  }

  beginSending(id: string): void {
    this.#sending.set(id, { changed: false });
  }

  /** `left`: undefined if it is not known. */
  endSending(id: string, left?: { readonly wait: number; readonly waiting: number }): void {
    const changed = this.#sending.get(id)?.changed;
    this.#sending.delete(id);
    if (left && this.#waiting.has(id)) this.#waiting = new Map(this.#waiting).set(id, left.waiting);
    this.checkWithin(changed ? 0 : (left?.wait ?? 0));
  }

  /** Something has changed in the project. Webhooks that are being sent notice by themselves, unless they are about to end. */
  readonly change = (): void => {
    for (const one of this.#sending.values()) one.changed = true;
    if (this.#waiting.size > this.#sending.size) this.checkWithin(0);
  };

  /** Called for each check: the project may have been closed and opened again since the last. */
  watchBy(end: () => void): void {
    this.#unwatch();
    this.#unwatch = end;
  }

  /** Stops watching: there is no active webhook. */
  rest(): void {
    this.watchBy(() => {});
    this.#waiting = new Map();
  }
}
