import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environmentName } from '../src/commands/flags.ts';
import { findCommand } from '../src/commands/register.ts';
import { serving, vitrine } from './auth/process.ts';
import { startChild } from './children.ts';
import { freePort } from './postgres-server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'vitrine-deploy-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
function isMissing(...programs: string[]): boolean {
  const missing = programs.filter((program) => !has(program));
  if (missing.length > 0) console.log(`NOT TRIED: ${missing.join(' and ')} can't be found here`);
  return missing.length > 0;
}

/** Variables that a file sets are those of flags of `serve`, or known by themselves. */
async function assertVariables(text: string): Promise<void> {
  const flags = Object.keys((await findCommand('serve'))?.flags ?? {}).map(environmentName);
  const known = new Set([...flags, 'VITRINE_ADMIN_KEY']);
  for (const [name] of text.matchAll(/VITRINE_[A-Z_]+/g))
    assert.ok(known.has(name), `${name} is no variable`);
}

describe('deploy/', () => {
  it('has a systemd unit that systemd takes', async () => {
    const unit = read('systemd/vitrine.service');
    await assertVariables(unit.replace('VITRINE_…', ''));
    if (isMissing('systemd-analyze')) return;
    const file = join(scratch, 'vitrine.service');
    writeFileSync(file, unit.replace('/usr/local/bin/vitrine serve', '/bin/true'));
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    assert.equal(stderr.includes('vitrine.service'), false, stderr);
  });

  it('has a file for nginx that serves with TLS and passes on who asks', async () => {
    if (isMissing('nginx', 'openssl')) return;
    const [key, certificate] = [join(scratch, 'key.pem'), join(scratch, 'certificate.pem')];
    const subject = ['-subj', '/CN=vitrine.example.com', '-keyout', key, '-out', certificate];
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]);
    const words = [
      'serve',
      '--demo',
      '--port',
      '0',
      '--data',
      join(scratch, 'data'),
      '--trust-proxy',
      '127.0.0.1',
    ];
    const server = vitrine(words);
    const { port } = new URL(await serving(server));
    const [plain, secure] = [await freePort(), await freePort()];
    const file = join(scratch, 'nginx.conf');
    const site = read('nginx/vitrine.conf')
      .replace('127.0.0.1:8090', `127.0.0.1:${port}`)
      .replace(/^ *listen \[::\].*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ', `listen 127.0.0.1:${secure} `)
      .replace(/\/etc\/letsencrypt\/\S+fullchain\.pem/, certificate)
      .replace(/\/etc\/letsencrypt\/\S+privkey\.pem/, key)
      .replace('/var/log/nginx/vitrine.log', join(scratch, 'access.log'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${scratch}/${name};`,
    );
    writeFileSync(
      file,
      `worker_processes 1; daemon off; pid ${scratch}/pid; error_log ${scratch}/error.log;
       events { worker_connections 256; } http { ${temporary.join(' ')}\n${site} }`,
    );
    const started = ['-c', file, '-p', scratch, '-e', join(scratch, 'error.log')];
    const checked = spawnSync('nginx', ['-t', ...started], { encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
    const nginx = startChild('nginx', started);
    const over = new Promise((resolve) => nginx.once('close', resolve));
    const ask = (path: string) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const options = { port: secure, path, rejectUnauthorized: false, host: '127.0.0.1' };
        request(options, (response) => {
          let text = '';
          response.on('data', (part: Buffer) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        })
          .on('error', reject)
          .end();
      });
    for (let tries = 0; ; tries += 1) {
      const up = await ask('/healthz').catch(() => undefined);
      if (up?.status === 200) break;
      assert.ok(tries < 4_000, readFileSync(join(scratch, 'error.log'), 'utf8'));
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const page = await ask('/v1/demo/products?ticket=secret-in-the-query');
    assert.equal(page.status, 400, page.text);
    const exported = await ask('/v1/demo/products/export?format=csv');
    assert.equal(exported.status, 200, exported.text);
    const redirected = await fetch(`http://127.0.0.1:${plain}/v1`, { redirect: 'manual' });
    assert.equal(redirected.status, 308);
    nginx.kill('SIGTERM');
    await over;
    server.child.kill('SIGTERM');
    await server.exit;
    assert.equal(readFileSync(join(scratch, 'access.log'), 'utf8').includes('secret-in-the-query'), false);
  });

  it('has an image that runs as nobody in particular, with a health check of its own', async () => {
    const file = read('docker/Dockerfile');
    await assertVariables(file);
    assert.match(file, /^USER 65532:65532$/m);
    assert.match(file, /^VOLUME \/data$/m);
    assert.match(file, /^ENTRYPOINT \["\/vitrine"\]\nCMD \["serve"\]$/m);
    assert.match(file, /CMD \["\/vitrine", "health"\]/);
    assert.ok(await findCommand('health'));
  });

  it('has compose files whose variables, files and networks are there', async () => {
    for (const name of ['compose.yaml', 'compose.postgres.yaml']) {
      const text = read(`docker/${name}`);
      await assertVariables(text);
      for (const [, path = ''] of text.matchAll(/- (\.\.\/\S+?):/g))
        assert.ok(existsSync(join(root, 'deploy/docker', path)), path);
      for (const [, path = ''] of text.matchAll(/dockerfile: (\S+)/g))
        assert.ok(existsSync(join(root, path)), path);
      if (!('Bun' in globalThis)) continue;
      const { YAML } = globalThis.Bun;
      const { services, volumes } = YAML.parse(text) as {
        services: Record<string, { volumes?: string[]; read_only?: boolean; image: string }>;
        volumes: Record<string, unknown>;
      };
      for (const service of Object.values(services)) {
        if (service.image === 'vitrine') assert.equal(service.read_only, true);
        for (const volume of service.volumes ?? [])
          assert.ok(volume.startsWith('../') || Object.hasOwn(volumes, volume.split(':')[0] ?? ''), volume);
      }
    }
  });

  it('has files for Caddy, looked at by it where it is there', () => {
    for (const name of ['Caddyfile', 'Caddyfile.nodes']) {
      const text = read(`caddy/${name}`);
      assert.equal(text.match(/\{(?!\$)/g)?.length, text.replaceAll(/\{\$\w+\}/g, '').match(/\}/g)?.length);
      if (isMissing('caddy')) continue;
      const path = join(root, 'deploy/caddy', name);
      const words = ['validate', '--adapter', 'caddyfile', '--config', path];
      const { status, stderr } = spawnSync('caddy', words, {
        encoding: 'utf8',
        env: { ...process.env, SITE: 'localhost' },
      });
      assert.equal(status, 0, stderr);
    }
  });

  it('vitrine health says whether a server answers', async () => {
    const server = vitrine(['serve', '--port', '0', '--data', join(scratch, 'health')]);
    const { port } = new URL(await serving(server));
    for (const words of [
      ['--port', port],
      ['--url', `http://127.0.0.1:${port}`, '--ready'],
    ]) {
      const asked = vitrine(['health', ...words]);
      assert.equal(await asked.exit, 0, asked.output());
    }
    server.child.kill('SIGTERM');
    await server.exit;
    const asked = vitrine(['health', '--port', port]);
    assert.equal(await asked.exit, 1);
    assert.match(asked.output(), /can't be reached/);
  });
});
