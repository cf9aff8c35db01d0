/** Sends and receives JSON; any status but 2xx ends the bench with the server's error. */
export async function call<T>(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<T> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${base}${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text === '' ? 'null' : text) as T;
}
