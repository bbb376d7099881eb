import { describe, expect, it } from 'vitest';
import { parseImageName, withDefaultTag } from '../../../../../agent/rules/images/image-name.ts';

const SHA = 'a'.repeat(64);

describe('J-170: the name of an image, as the runtime and the registries get it', () => {
  it.each([
    ['nginx', { repository: 'docker.io/library/nginx' }, 'nginx:latest'],
    ['nginx:1.27', { repository: 'docker.io/library/nginx', tag: '1.27' }, 'nginx:1.27'],
    ['team/app', { repository: 'docker.io/team/app' }, 'team/app:latest'],
    ['docker.io/nginx', { repository: 'docker.io/library/nginx' }, 'docker.io/nginx:latest'],
    ['index.docker.io/nginx', { repository: 'docker.io/library/nginx' }, 'index.docker.io/nginx:latest'],
    ['localhost/app', { repository: 'localhost/app' }, 'localhost/app:latest'],
    ['HOST/app', { repository: 'HOST/app' }, 'HOST/app:latest'],
    ['reg.example.com/app', { repository: 'reg.example.com/app' }, 'reg.example.com/app:latest'],
    ['reg:5000/a/b:v1', { repository: 'reg:5000/a/b', tag: 'v1' }, 'reg:5000/a/b:v1'],
    ['[::1]:5000/app', { repository: '[::1]:5000/app' }, '[::1]:5000/app:latest'],
    [
      `app@sha256:${SHA}`,
      { repository: 'docker.io/library/app', digest: `sha256:${SHA}` },
      `app@sha256:${SHA}`,
    ],
    [
      `app:v1@sha256:${SHA}`,
      { repository: 'docker.io/library/app', tag: 'v1', digest: `sha256:${SHA}` },
      `app:v1@sha256:${SHA}`,
    ],
  ])('%s', (name, expected, full) => {
    const parsed = parseImageName(name);
    expect(parsed).toEqual(expected);
    expect(withDefaultTag(name, 'fault' in parsed ? { repository: '' } : parsed)).toBe(full);
  });

  it.each([
    ['', 'invalid reference format'],
    ['nginx:', 'invalid reference format'],
    ['a//b', 'invalid reference format'],
    ['a b', 'invalid reference format'],
    ['/srv/image', 'invalid reference format'],
    ['app:v1:v2', 'invalid reference format'],
    [`app:${'t'.repeat(129)}`, 'invalid reference format'],
    ['app@sha256', 'invalid reference format'],
    [`app@sha256:${'a'.repeat(40)}`, 'invalid checksum digest length'],
    [`app@md5:${'a'.repeat(32)}`, 'unsupported digest algorithm'],
    [`app@sha256:${'A'.repeat(64)}`, 'invalid checksum digest format'],
    ['reg.example.com/App', 'invalid reference format: repository name (App) must be lowercase'],
    ['Nginx', 'invalid reference format: repository name (library/Nginx) must be lowercase'],
    [SHA, `invalid repository name (${SHA}), cannot specify 64-byte hexadecimal strings`],
    [`reg.io/${'a'.repeat(256)}`, 'repository name must not be more than 255 characters'],
  ])('%s is none', (name, fault) => {
    expect(parseImageName(name)).toEqual({ fault });
  });
});
