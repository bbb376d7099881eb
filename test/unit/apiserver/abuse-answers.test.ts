import { describe, expect, it } from 'vitest';
import type { AbusiveRequest } from '../../support/abuse/abuse.ts';
import { ABUSES } from '../../support/abuse/requests.ts';
import type { TestApi } from '../../support/servers/api.ts';
import { createTestApi } from '../../support/servers/api.ts';

const SMALL = 20;

const send = async (api: TestApi, { method, path, headers, body }: AbusiveRequest): Promise<number> => {
  const { code } = await api.send(method, path, { as: 'admin', headers, raw: body });
  return code;
};

describe('abusive requests', () => {
  it('have different names', () => {
    const names = ABUSES.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(ABUSES.map((abuse) => [abuse.name, abuse] as const))(
    'are answered: %s',
    async (_name, { before, request }) => {
      const api = createTestApi();
      for (const one of before?.(SMALL) ?? []) expect(await send(api, one)).toBeLessThan(300);
      expect(await send(api, request(SMALL))).toBeLessThan(500);
      expect(api.failures).toEqual([]);
    },
  );
});
