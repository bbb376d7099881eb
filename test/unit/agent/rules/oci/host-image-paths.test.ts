import { describe, expect, it } from 'vitest';
import { imagePathFault, shownFolderFault } from '../../../../../agent/rules/oci/host-image-paths.ts';

const OWN = ['/var/lib/rollcall-agent', '/var/log/pods'];

describe('a folder of the machine for an image', () => {
  it.each(['/srv', '/var/lib/models', '/usr/local', '/developers', '/home/..data'])('can be %s', (path) => {
    expect(imagePathFault(path, OWN)).toBeUndefined();
  });

  it.each<[string, RegExp]>([
    ['srv', /^srv is no absolute path/],
    ['/', /^\/ is the whole machine: pods have it by the image "host" with privileged: true$/],
    ['/srv/', /no empty parts/],
    ['//srv', /no empty parts/],
    ['/srv/../root', /neither "\." nor "\.\."/],
    ['/srv/.', /neither "\." nor "\.\."/],
    ['/proc', /the kernel's/],
    ['/proc/1/root', /the kernel's/],
    ['/sys', /the kernel's/],
    ['/dev/shm', /the kernel's/],
    ['/var', /would show \/var\/lib\/rollcall-agent/],
    ['/var/lib', /would show \/var\/lib\/rollcall-agent/],
    ['/var/log/pods', /would show \/var\/log\/pods/],
    ['/var/lib/rollcall-agent/pods', /belongs to the agent/],
  ])('cannot be %s', (path, words) => {
    expect(imagePathFault(path, OWN)).toMatch(words);
  });
});

describe('a folder of an agent that is not root', () => {
  it.each([
    ['/home/me/.local/state/rollcall-agent', undefined],
    ['/optional', undefined],
    ['/opt/rollcall', '/opt/rollcall: the image'],
    ['/usr/local/agent', '/usr/local/agent: the image'],
  ])('at %s: %s', (folder, words) => {
    const fault = shownFolderFault(['/home/me/logs', folder]);
    if (words === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(words);
  });
});
