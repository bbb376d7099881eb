import { describe, expect, it, test } from 'vitest';
import type { PodSpec } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { mountableSecretsFault } from '../../../../shared/rules/pod-admission/mountable-secrets.ts';
import {
  accountNameOf,
  limitsSecrets,
  mountsToken,
  type ServiceAccount,
  withPullSecrets,
} from '../../../../shared/rules/pod-admission/service-account.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

const aPodWith = (spec: PodSpec) => ({ ...aPod(), spec });
const anAccount = (rest: Omit<ServiceAccount, keyof ApiObject> = {}, annotations = {}): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'robot', annotations },
  ...rest,
});

it.each([
  [{}, 'default'],
  [{ serviceAccountName: '' }, 'default'],
  [{ serviceAccountName: 'robot' }, 'robot'],
])('a pod with %o has the account %s (A-20)', (spec, name) => {
  expect(accountNameOf(aPodWith(spec))).toBe(name);
});

it.each([
  [undefined, undefined, true],
  [undefined, true, true],
  [undefined, false, false],
  [true, false, true],
  [false, true, false],
])('the pod says %s, its account %s: the token is mounted: %s (A-21)', (pod, account, mounts) => {
  const spec = pod === undefined ? {} : { automountServiceAccountToken: pod };
  const given = anAccount(account === undefined ? {} : { automountServiceAccountToken: account });
  expect(mountsToken(aPodWith(spec), given)).toBe(mounts);
});

it.each([
  ['gets those of its account', undefined, [{ name: 'a' }], [{ name: 'a' }]],
  ['gets them instead of an empty list', [], [{ name: 'a' }], [{ name: 'a' }]],
  ['keeps its own', [{ name: 'b' }], [{ name: 'a' }], [{ name: 'b' }]],
  ['has none where its account has none', undefined, undefined, undefined],
])('a pod %s as pull secrets (A-22)', (_name, own, given, expected) => {
  const pod = aPodWith(own ? { imagePullSecrets: own } : {});
  const account = anAccount(given ? { imagePullSecrets: given } : {});
  expect(withPullSecrets(pod, account).spec['imagePullSecrets']).toEqual(expected);
});

describe('an account with the annotation kubernetes.io/enforce-mountable-secrets (A-23)', () => {
  it.each([
    ['true', true],
    ['1', true],
    ['T', true],
    ['yes', false],
    ['false', false],
  ])('%s limits Secrets: %s', (value, limits) => {
    expect(limitsSecrets(anAccount({}, { 'kubernetes.io/enforce-mountable-secrets': value }))).toBe(limits);
    expect(limitsSecrets(anAccount())).toBe(false);
  });

  const account = anAccount({ secrets: [{ name: 'ok' }], imagePullSecrets: [{ name: 'pull' }] });
  const not = 'is not allowed because service account robot does not reference that';
  const env = (name: string) => ({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name } } }] });
  const envFrom = (name: string) => ({ envFrom: [{ secretRef: { name } }] });

  test.each<[string, PodSpec, string | undefined]>([
    ['nothing', {}, undefined],
    ['a volume of an allowed Secret', { volumes: [{ secret: { secretName: 'ok' } }] }, undefined],
    [
      'a volume',
      { volumes: [{ secret: { secretName: 'no' } }] },
      `volume with secret.secretName="no" ${not} secret`,
    ],
    [
      'a variable of an init container',
      { initContainers: [{ name: 'i', ...env('no') }] },
      `init container i with envVar E referencing secret.secretName="no" ${not} secret`,
    ],
    [
      'all variables of an init container',
      { initContainers: [{ name: 'i', ...envFrom('no') }] },
      `init container i with envFrom referencing secret.secretName="no" ${not} secret`,
    ],
    [
      'a variable of a container',
      { containers: [{ name: 'c', ...env('no') }] },
      `container c with envVar E referencing secret.secretName="no" ${not} secret`,
    ],
    [
      'all variables of a container',
      { containers: [{ name: 'c', ...envFrom('no') }] },
      `container c with envFrom referencing secret.secretName="no" ${not} secret`,
    ],
    [
      'variables of an allowed Secret',
      { containers: [{ name: 'c', ...env('ok'), ...envFrom('ok') }] },
      undefined,
    ],
    ['an allowed pull secret', { imagePullSecrets: [{ name: 'pull' }] }, undefined],
    [
      'a pull secret',
      { imagePullSecrets: [{ name: 'pull' }, { name: 'no' }] },
      `imagePullSecrets[1].name="no" ${not} imagePullSecret`,
    ],
  ])('judges %s', (_name, spec, fault) => {
    expect(mountableSecretsFault(aPodWith(spec), account)).toBe(fault);
  });
});
