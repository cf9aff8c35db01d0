import type { NotedWork } from '../store/coordination.ts';

/** Milliseconds after which a project is checked, also where nothing has changed in it. */
const seldom = 2_000;

/** What is known of a project with webhooks. Times are those of `performance`. */
export class WatchedProject {
  /** As it was listed last. */
  noted: NotedWork;
  /** When to check it. */
  due = 0;
  #isChecked = false;
  /** By webhook that is not paused, the changes that waited when it was sent last. */
  #waiting: ReadonlyMap<string, number> = new Map();
  /** By webhook that is being sent, whether something has changed since that began. */
  readonly #sending = new Map<string, { changed: boolean }>();
  #unwatch = () => {};

  constructor(noted: NotedWork) {
    this.noted = noted;
  }

  get isChecked(): boolean {
    return this.#isChecked;
  }

  /** Whether something is under way. */
  get isBusy(): boolean {
    return this.#isChecked || this.#sending.size > 0;
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, one) => sum + one, 0);
  }

  beginCheck(): void {
    this.#isChecked = true;
    this.due = performance.now() + seldom;
  }

  endCheck(): void {
    this.#isChecked = false;
  }

  checkWithin(ms: number): void {
    this.due = Math.min(this.due, performance.now() + ms);
  }

  /** Those of the active ones that are not being sent. */
  idle(active: readonly string[]): string[] {
    this.#waiting = new Map(active.map((id) => [id, this.#waiting.get(id) ?? 0]));
    return active.filter((id) => !this.#sending.has(id));
  }

  beginSending(id: string): void {
    this.#sending.set(id, { changed: false });
  }

  /** `left`: undefined where that is not known. */
  endSending(id: string, left?: { readonly wait: number; readonly waiting: number }): void {
    const changed = this.#sending.get(id)?.changed;
    this.#sending.delete(id);
    if (left && this.#waiting.has(id)) this.#waiting = new Map(this.#waiting).set(id, left.waiting);
    this.checkWithin(changed ? 0 : (left?.wait ?? 0));
  }

  /** Something has changed in the project. What is being sent finds that by itself, unless it is about to end. */
  readonly change = (): void => {
    for (const one of this.#sending.values()) one.changed = true;
    if (this.#waiting.size > this.#sending.size) this.checkWithin(0);
  };

  /** Anew each time: the project may have been closed and opened again since. */
  watchBy(end: () => void): void {
    this.#unwatch();
    this.#unwatch = end;
  }

  /** There is nothing to send, whatever changes. */
  rest(): void {
    this.watchBy(() => {});
    this.#waiting = new Map();
  }
}
