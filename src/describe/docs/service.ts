import { someId } from '../../model/fields/relation.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Example, followCode, literal } from './code.ts';
import { type DocumentParts, resolvedParameters } from './collection.ts';
import { type Html, html } from './html.ts';
import { operationHtml } from './operation.ts';

export interface Below {
  readonly path: string;
  readonly verb: string;
  readonly operation: JsonObject;
}

export function operationsBelow(paths: DocumentParts['paths'], prefix: string): Below[] {
  const there = Object.entries(paths).filter(([path]) => path === prefix || path.startsWith(`${prefix}/`));
  return there.flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
}

/** Operations that do not belong to a collection. `profile`: an example of one. */
export function serviceHtml(
  project: string,
  document: DocumentParts,
  name: '_batch' | '_changes' | '_auth',
  title: string,
  profile: JsonObject = {},
): Html | false {
  const operations = operationsBelow(document.paths, `/${name}`);
  if (operations.length === 0) return false;
  return html`<section class="collection"${name === '_auth' && html` id="_auth"`}>
<h2>${title}</h2>
${operations.map((below) => {
  const open = JSON.stringify(below.operation.security) === '[]';
  const signedIn = open ? 'Without a token.' : 'For a signed-in user.';
  return operationHtml({
    ...below,
    project,
    who: whoOf[name] ?? signedIn,
    body: name === '_auth' ? bodyText(below.operation) : undefined,
    example: exampleOf(below, !open, profile),
    parameters: resolvedParameters(below.operation, document).map(({ parameter }) => parameter),
  });
})}
</section>
`;
}

const whoOf: Readonly<Record<string, string>> = {
  _batch: 'Each operation of a batch needs the same rights as by itself.',
  _changes: 'Each tells what its caller may see.',
};

const signIn = "{ redirect: 'https://app.example/signed-in', challenge: '…' }";

/** The calls of the client. It has none for refreshing, which it does itself, nor for the callback of a provider. */
const calls: Readonly<Record<string, string>> = {
  _batch: 'await client.batch((batch) => {});',
  _changes: followCode('client'),
  '_auth.loginTotp': "const user = await client.auth.factor({ factorToken: '…', code: '123456' });",
  '_auth.beginTotp': 'const { secret, uri } = await client.auth.totp.start();',
  '_auth.confirmTotp': "const { recoveryCodes } = await client.auth.totp.confirm('123456');",
  '_auth.endTotp':
    "await client.auth.totp.disable({ currentPassword: 'correct horse battery', code: '123456' });",
  '_auth.providers': 'const { found } = await client.auth.providers.list();',
  '_auth.beginSignIn': `const address = client.auth.providers.address('acme', ${signIn});`,
  '_auth.exchange': "await client.auth.providers.exchange({ code: '…', verifier: '…' });",
  '_auth.identities': 'const { found } = await client.auth.identities.list();',
  '_auth.removeIdentity': `await client.auth.identities.remove('${someId}');`,
  '_auth.linkProvider': `const { url } = await client.auth.identities.link('acme', ${signIn});`,
  '_auth.rejectAddress': "await client.auth.rejectAddress('…');",
  '_auth.ticket': 'const { ticket } = await client.auth.ticket();',
  '_auth.login': "await client.auth.login({ email: 'ann@example.com', password: 'correct horse battery' });",
  '_auth.logout': 'await client.auth.logout();',
  '_auth.me': 'const user = await client.auth.me();',
  '_auth.workspaces': 'const { found } = await client.auth.workspaces.list();',
  '_auth.createWorkspace': "const workspace = await client.auth.workspaces.create({ name: 'North' });",
  '_auth.members': `const { found } = await client.auth.workspaces.members('${someId}');`,
  '_auth.removeMember': `await client.auth.workspaces.removeMember('${someId}', '${someId}');`,
  '_auth.deleteMe': "await client.auth.deleteMe({ currentPassword: 'correct horse battery' });",
  '_auth.forgot': "await client.auth.forgot('ann@example.com');",
  '_auth.reset': "await client.auth.reset({ token: '…', password: 'correct horse battery' });",
  '_auth.sendVerification': 'await client.auth.sendVerification();',
  '_auth.verify': "await client.auth.verify('…');",
  '_auth.changeEmail':
    "await client.auth.changeEmail({ email: 'ann@example.com', currentPassword: 'correct horse battery' });",
  '_auth.confirmEmail': "await client.auth.confirmEmail('…');",
  '_auth.sessions': 'const { found } = await client.auth.sessions.list();',
  '_auth.endOtherSessions': 'await client.auth.sessions.endOthers();',
  '_auth.endSession': `await client.auth.sessions.end('${someId}');`,
  '_auth.renameWorkspace': `await client.auth.workspaces.update('${someId}', { name: 'North' });`,
  '_auth.deleteWorkspace': `await client.auth.workspaces.delete('${someId}');`,
  '_auth.setRole': `await client.auth.workspaces.setRole('${someId}', '${someId}', 'owner');`,
  '_auth.invitationsOf': `const { found } = await client.auth.workspaces.invitations('${someId}');`,
  '_auth.invite': `await client.auth.workspaces.invite('${someId}', { email: 'bob@example.com' });`,
  '_auth.withdraw': `await client.auth.workspaces.withdraw('${someId}', '${someId}');`,
  '_auth.invitations': 'const { found } = await client.auth.invitations.list();',
  '_auth.accept': `await client.auth.invitations.accept('${someId}');`,
  '_auth.decline': `await client.auth.invitations.decline('${someId}');`,
  '_auth.switch': `const user = await client.auth.switch('${someId}');`,
};

const values: JsonObject = {
  email: 'ann@example.com',
  password: 'correct horse battery',
  currentPassword: 'correct horse battery',
  name: 'Ann',
  role: 'member',
  workspace: someId,
  operations: [],
};

/** Calls of the client that accept the body unchanged. */
const sending: Readonly<Record<string, string>> = {
  '_auth.register': 'register',
  '_auth.updateMe': 'updateMe',
};

/** Calls whose example shows only some fields: a new password would end every session. */
const shown: Readonly<Record<string, readonly string[]>> = { '_auth.updateMe': ['name', 'profile'] };

/** The example body is made from the schema, which has few and self-explanatory fields. */
function exampleOf({ verb, path, operation }: Below, token: boolean, profile: JsonObject): Example {
  const id = String(operation.operationId);
  const body = bodySchema(operation);
  const names = shown[id] ?? Object.keys(body?.properties ?? {});
  const there = names.filter((name) => name !== 'profile' || Object.keys(profile).length > 0);
  const known: JsonObject = { ...values, profile };
  const sent = Object.fromEntries(there.map((name) => [name, known[name] ?? '…']));
  return {
    verb: verb.toUpperCase(),
    path: examplePath(path, operation),
    ...(body && { body: sent }),
    token,
    client: sending[id] ? `const user = await client.auth.${sending[id]}(${literal(sent)});` : calls[id],
  };
}

/** Adds the required parameters. */
function examplePath(path: string, { parameters = [] }: JsonObject): string {
  const there = path.replace('{provider}', 'acme').replaceAll(/\{\w+\}/g, someId);
  const needed = (parameters as readonly JsonObject[]).filter((one) => one.required && one.in === 'query');
  return needed.length === 0 ? there : `${there}?${needed.map(({ name }) => `${name}=…`).join('&')}`;
}

interface BodySchema {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}

function bodySchema({ requestBody }: JsonObject): BodySchema | undefined {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: BodySchema }> };
  return content?.['application/json']?.schema;
}

/** `Body: email, password (8 to 256 characters), name (optional, at most 200 characters).` */
function bodyText(operation: JsonObject): string | undefined {
  const schema = bodySchema(operation);
  if (!schema) return undefined;
  const parts = Object.entries(schema.properties).map(
    ([name, { minLength = 0, maxLength, enum: options }]) => {
      const rules = [
        ...(schema.required?.includes(name) ? [] : ['optional']),
        ...(Array.isArray(options) ? [options.join(' or ')] : []),
        ...(maxLength === undefined
          ? []
          : [`${Number(minLength) > 1 ? `${minLength} to` : 'at most'} ${maxLength} characters`]),
      ];
      return rules.length === 0 ? name : `${name} (${rules.join(', ')})`;
    },
  );
  return `Body: ${parts.join(', ')}.`;
}
