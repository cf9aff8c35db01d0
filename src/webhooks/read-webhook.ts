import type { BlockList } from 'node:net';
import { isIP } from 'node:net';
import type { Project } from '../catalog/project.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { type WebhookChange, type WebhookSettings, webhookKinds } from '../store/webhooks.ts';
import { isReachable } from './public-address.ts';

const settings = ['name', 'url', 'collections', 'kinds', 'fields'] as const;
const longestUrl = 2_000;

/** The body of a new webhook. Without `collections` it gets changes of all, without `kinds` those of every kind. */
export function readNewWebhook(body: JsonObject, project: Project, allowed: BlockList): WebhookSettings {
  const form = new Form(body, settings);
  const made = {
    name: form.text('name'),
    url: readUrl(form, allowed),
    collections: form.has('collections') ? readCollections(form, project) : [],
    kinds: form.has('kinds') ? readKinds(form) : webhookKinds,
  };
  const fields = form.has('fields') ? readFields(form, project, made.collections) : null;
  form.done();
  return { ...made, fields };
}

/** The body of a PATCH of a webhook. */
export function readWebhookChange(
  body: JsonObject,
  project: Project,
  before: WebhookSettings,
  allowed: BlockList,
): WebhookChange {
  const form = new Form(body, [...settings, 'paused']);
  const collections = form.has('collections') ? readCollections(form, project) : undefined;
  const change: WebhookChange = {
    ...(form.has('name') && { name: form.text('name') }),
    ...(form.has('url') && { url: readUrl(form, allowed) }),
    ...(collections && { collections }),
    ...(form.has('kinds') && { kinds: readKinds(form) }),
    ...(form.has('fields') && { fields: readFields(form, project, collections ?? before.collections) }),
    ...(form.has('paused') && { paused: form.flag('paused') }),
  };
  if (
    collections &&
    collections.length !== 1 &&
    (change.fields === undefined ? before.fields : change.fields)
  )
    form.fault('collections', 'must be one, as fields are named: set fields to null first');
  form.done();
  return change;
}

function readUrl(form: Form, allowed: BlockList): string {
  const text = form.text('url', { most: longestUrl });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (text === '') return text;
  if (url?.protocol !== 'https:') form.fault('url', 'must be an address that begins with https://');
  else if (url.username !== '' || url.password !== '')
    form.fault('url', 'must not hold a user name or a password');
  else if (isClosed(url.hostname.replace(/^\[|\]$/g, ''), allowed))
    form.fault('url', 'must not be a private address, unless --webhook-allow names it');
  return url?.href ?? text;
}

/** Only for literal addresses; what a name resolves to is checked when connecting. */
const isClosed = (host: string, allowed: BlockList) => isIP(host) !== 0 && !isReachable(host, allowed);

function readCollections(form: Form, { schema }: Project): readonly string[] {
  const names = form.texts('collections');
  const known = [...schema.collections.keys()];
  for (const name of names) {
    if (!schema.collections.has(name))
      form.fault('collections', `there is no collection '${name}'${didYouMean(name, known)}`);
  }
  return names;
}

function readKinds(form: Form): WebhookSettings['kinds'] {
  const names = form.texts('kinds');
  const kinds = webhookKinds.filter((kind) => names.includes(kind));
  if (kinds.length === 0 || kinds.length < names.length)
    form.fault('kinds', `must be some of ${webhookKinds.join(', ')}`);
  return kinds;
}

const serviceFields = ['_id', '_createdAt', '_updatedAt', '_owner', '_workspace'];

function readFields(
  form: Form,
  { schema }: Project,
  collections: readonly string[],
): readonly string[] | null {
  if (form.isNull('fields')) return null;
  const names = form.texts('fields');
  const [name = ''] = collections;
  const collection = schema.collections.get(name);
  if (collections.length !== 1) form.fault('fields', 'can be named only where collections has exactly one');
  if (!collection) return names;
  const known = [...collection.definition.fields.keys(), ...serviceFields];
  for (const field of names) {
    if (!known.includes(field))
      form.fault('fields', `there is no field '${field}' in ${name}${didYouMean(field, known)}`);
  }
  return names;
}
