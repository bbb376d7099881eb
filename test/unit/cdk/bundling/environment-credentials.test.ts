import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultProvider } from '../../../../cdk/bundling/environment-credentials.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a function's credentials", () => {
  it('come from its environment, with the session token where there is one', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', undefined);
    expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
    vi.stubEnv('AWS_SESSION_TOKEN', 'token');
    expect(await defaultProvider()()).toMatchObject({ sessionToken: 'token' });
  });

  it('are refused by the name of what is missing', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID is not set');
  });
});
