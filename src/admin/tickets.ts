import { digest, randomSecret } from '../access/secret.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { Administrators } from '../store/administrators.ts';

const seconds = 60;

/** POST /v1/_admin/ticket: lets a browser download a path once by a link, which can't send an Authorization header. */
export async function createTicket(
  administrators: Administrators,
  body: JsonObject,
  actor: string,
  now: number,
): Promise<string> {
  const form = new Form(body, ['path']);
  const path = form.text('path', { most: 16 * 1024 });
  if (path !== '' && !/^\/v1\/[^#\s]+$/.test(path)) {
    form.fault(
      'path',
      'must be the path and query of a download, such as /v1/shop/products/export?format=csv',
    );
  }
  form.done();
  const ticket = `vd_${randomSecret()}`;
  await administrators.saveTicket(
    { digest: digest(ticket), path, expires: now + seconds * 1000, actor },
    now,
  );
  const url = `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`;
  return JSON.stringify({ ticket, url, expiresIn: seconds });
}
