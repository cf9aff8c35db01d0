import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import type { ReadTurn } from '../access/turns.ts';
import type { Project } from '../catalog/project.ts';
import type { JsonObject } from '../model/json.ts';
import { type Parameter, readQueryString } from '../query/query-string.ts';
import type { Ask, RecordLimits } from '../records/ask.ts';
import type { StoredCollection } from '../store/schema.ts';
import { readBody } from './body.ts';
import { addressOf } from './client-address.ts';
import type { Incoming } from './route.ts';
import { recordBytes, type Services } from './services.ts';
import { isStillSignedIn } from './still-signed-in.ts';
import { readTurn } from './turn-taker.ts';

/** An admitted request. A class: every request has one, and an object with a dozen functions of its own takes ten times as long to make. */
export class RecordAsk implements Ask {
  readonly project: Project;
  readonly collection: StoredCollection;
  readonly caller: Caller;
  readonly scope: Scope;
  readonly now: number;
  readonly #services: Services;
  readonly #incoming: Incoming;

  constructor(
    services: Services,
    incoming: Incoming,
    { project, collection, caller, scope }: Pick<Ask, 'project' | 'collection' | 'caller' | 'scope'>,
  ) {
    this.project = project;
    this.collection = collection;
    this.caller = caller;
    this.scope = scope;
    this.now = services.now();
    this.#services = services;
    this.#incoming = incoming;
  }

  get id(): string {
    return this.#incoming.param('id');
  }

  get query(): string {
    return this.#incoming.query;
  }

  get parameters(): readonly Parameter[] {
    return readQueryString(this.query);
  }

  get limits(): RecordLimits {
    return this.#services.limits.records;
  }

  get recordBytes(): number {
    return recordBytes(this.#services);
  }

  get readTurn(): ReadTurn {
    return readTurn(this.#services, this.#incoming, this.caller);
  }

  address(): string {
    return addressOf(this.#services, this.#incoming);
  }

  header(name: string): string | null {
    return this.#incoming.request.headers.get(name);
  }

  body(): Promise<JsonObject> {
    return readBody(this.#incoming.request, this.#services.limits.body);
  }

  newId(): string {
    return this.#services.newId();
  }

  isStillSignedIn(): Promise<boolean> {
    return isStillSignedIn(this.#services, this.caller);
  }
}
