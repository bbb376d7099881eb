import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpstreamRequest, UpstreamResponse } from '../../../gateway/upstream/upstream.ts';
import { createTokenFile } from '../../../relay/token-file.ts';
import { createTokenRenewal } from '../../../relay/token-renewal.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { serviceUnavailable } from '../../../shared/kube/errors/status-error.ts';
import { GROUP_RELAYS } from '../../../shared/kube/types/well-known.ts';
import { createTestApi, keysSigningWith, START } from '../../support/servers/api.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-relay-token-'));
  path = join(folder, 'relay.token');
});

afterEach(() => rmSync(folder, { recursive: true }));

const tokenOf = (issuedAt: number, lastsMs: number, relay = 'site-a'): Promise<string> =>
  issueToken(
    { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
    { name: `system:relay:${relay}`, groups: [GROUP_RELAYS], issuedAt, expiresAt: issuedAt + lastsMs },
  );

const stored = (): string => readFileSync(path, 'utf8').trim();

type Fault = 'none' | 'lost' | 'garbage';

/** A relay with this token, and the API that renews it. */
const worldOf = (token: string, at = path) => {
  if (at === path) writeFileSync(path, `${token}\n`, { mode: 0o644 });
  const api = createTestApi();
  let elapsedMs = 0;
  let fault: Fault = 'none';
  let before: () => void = () => undefined;
  let requests = 0;
  const send = async ({ method, path: to, headers, body }: UpstreamRequest): Promise<UpstreamResponse> => {
    requests += 1;
    before();
    if (fault === 'lost') throw serviceUnavailable('the API is unreachable', {});
    if (fault === 'garbage') return { status: 201, headers: {}, body: Buffer.from('{"status":{}}') };
    const answer = await api.send(method, to, {
      token: headers['authorization']?.replace('Bearer ', '') ?? '',
      type: 'application/json',
      ...(body ? { raw: body } : {}),
    });
    return { status: answer.code, headers: answer.headers, body: answer.bytes };
  };
  const file = createTokenFile(at, token, () => elapsedMs);
  const said: { readonly text: string; readonly more: object }[] = [];
  const say = (text: string, more: object = {}) => void said.push({ text, more });
  const renewal = createTokenRenewal({
    relay: 'site-a',
    file,
    upstream: { send },
    now: () => START + elapsedMs,
    hostLog: { info: say, warn: say },
  });
  return {
    file,
    said,
    requests: () => requests,
    tick: renewal.tick,
    setFault: (next: Fault) => {
      fault = next;
    },
    /** What happens while the API answers. */
    meanwhile: (next: () => void) => {
      before = next;
    },
    /** Time passes on the machine, and on the API by its own clock. */
    advance: (ms: number, onApi = ms) => {
      elapsedMs += ms;
      api.advance(onApi);
    },
  };
};

describe('a relay renews its own token (J-320)', () => {
  it('at its start, and then when half of its time is over', async () => {
    const first = await tokenOf(START - HOUR, DAY);
    const world = worldOf(first);
    await world.tick();
    const second = stored();
    expect(second).not.toBe(first);
    expect(world.file.current()).toBe(second);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(world.said.map(({ text }) => text)).toEqual(['the token of this relay was renewed']);
    world.advance(12 * HOUR - SECOND);
    await world.tick();
    expect(stored()).toBe(second);
    world.advance(SECOND);
    await world.tick();
    expect(stored()).not.toBe(second);
    expect(world.requests()).toBe(2);
  });

  it('by a clock that nobody sets, whatever that of the API or of its token says', async () => {
    const world = worldOf(await tokenOf(START - 100, 2 * DAY));
    await world.tick();
    world.advance(DAY - SECOND, 0);
    await world.tick();
    expect(world.requests()).toBe(1);
    world.advance(SECOND, 0);
    await world.tick();
    expect(world.requests()).toBe(2);
  });

  it('lasts as long as the one before', async () => {
    const world = worldOf(await tokenOf(START, 90 * DAY));
    await world.tick();
    expect(world.said[0]?.more).toEqual({ validUntil: '2026-05-30T12:00:00Z' });
  });

  it('a refusal is told once, with what to do; it is tried again, and the old one is used', async () => {
    const foreign = await tokenOf(START, DAY, 'site-b');
    const world = worldOf(foreign);
    for (let seconds = 0; seconds < 200; seconds += 1) {
      await world.tick();
      world.advance(SECOND);
    }
    // At once, and after 10, 20, 40 and 80 s more.
    expect(world.requests()).toBe(5);
    expect(world.said).toEqual([
      {
        text: 'the token of this relay could not be renewed',
        more: {
          error: expect.stringContaining('403: '),
          validUntil: '2026-03-02T12:00:00Z',
          remedy: expect.stringContaining('rollcall token --relay site-a'),
        },
      },
    ]);
    expect(stored()).toBe(foreign);
    expect(world.file.current()).toBe(foreign);
  });

  it.each(['lost', 'garbage'] as const)('an API that is %s costs nothing but time', async (fault) => {
    const first = await tokenOf(START, DAY);
    const world = worldOf(first);
    world.setFault(fault);
    await world.tick();
    expect(stored()).toBe(first);
    world.setFault('none');
    world.advance(10 * SECOND);
    await world.tick();
    expect(stored()).not.toBe(first);
    expect(world.said).toHaveLength(2);
  });

  it('a token that somebody puts into the file meanwhile counts, and is renewed in its turn', async () => {
    const [first, other] = [await tokenOf(START, DAY), await tokenOf(START, 3 * DAY)];
    const world = worldOf(first);
    world.meanwhile(() => writeFileSync(path, other));
    await world.tick();
    expect(stored()).toBe(other);
    world.meanwhile(() => undefined);
    world.advance(SECOND);
    world.file.current();
    await expect.poll(() => world.file.current()).toBe(other);
    await world.tick();
    expect([first, other]).not.toContain(stored());
    expect(world.said.at(-1)?.more).toEqual({ validUntil: '2026-03-04T12:00:01Z' });
  });

  it('a file that cannot be written keeps its token, which is used and told of', async () => {
    const first = await tokenOf(START, DAY);
    const world = worldOf(first, join(folder, 'gone', 'relay.token'));
    await world.tick();
    expect(world.file.current()).toBe(first);
    expect(world.said).toMatchObject([{ more: { error: expect.stringContaining('ENOENT') } }]);
  });

  it('behind a link the file is replaced, not the link', async () => {
    writeFileSync(join(folder, 'real'), '');
    symlinkSync('real', path);
    const world = worldOf(await tokenOf(START, DAY));
    await world.tick();
    expect(readFileSync(join(folder, 'real'), 'utf8').trim()).toBe(world.file.current());
    expect(readdirSync(folder).toSorted()).toEqual(['real', 'relay.token']);
  });

  it('a draft that a killed relay has left does no harm', async () => {
    writeFileSync(`${path}.new`, 'half of a tok', { mode: 0o644 });
    const world = worldOf(await tokenOf(START, DAY));
    await world.tick();
    expect(stored()).toBe(world.file.current());
    expect(readdirSync(folder)).toEqual(['relay.token']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each(['none', 'a.b.c', ''])('what is no token (%j) is left alone', async (text) => {
    const world = worldOf(text);
    await world.tick();
    expect([world.requests(), world.said]).toEqual([0, []]);
  });

  it('a file that is written in two steps is read when it is whole', async () => {
    const [first, other] = [await tokenOf(START, DAY), await tokenOf(START, 2 * DAY)];
    const world = worldOf(first);
    writeFileSync(path, '');
    world.advance(SECOND);
    expect(world.file.current()).toBe(first);
    writeFileSync(path, other);
    await expect
      .poll(() => {
        world.advance(SECOND);
        return world.file.current();
      })
      .toBe(other);
  });
});
