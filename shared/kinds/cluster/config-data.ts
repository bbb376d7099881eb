/** Strategies of core/v1 ConfigMaps, Secrets and ServiceAccounts. */
import type { ApiObject } from '../../kube/types/meta.ts';
import { storedObject } from '../contract/stored-object.ts';
import type { ServedKind } from '../contract/strategy.ts';
import type { ConfigMap, Secret } from './validate-config-data.ts';
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateSecret,
  validateSecretUpdate,
} from './validate-config-data.ts';

const coreKind = (kind: string, resource: string): ServedKind => ({
  group: '',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});

/** How ConfigMaps behave. */
export const configMapStrategy = storedObject<ConfigMap>({
  kind: coreKind('ConfigMap', 'configmaps'),
  message: 'core.v1.ConfigMap',
  rules: validateConfigMap,
  changeRules: validateConfigMapUpdate,
});

const encoded = (value: string): string => Buffer.from(value).toString('base64');

// `stringData` is write-only: it overrides `data` and is never returned.
const foldedIn = ({ stringData, ...secret }: Secret): Secret => {
  const folded = Object.entries(stringData ?? {}).map(([key, value]) => [key, encoded(value)] as const);
  const data = { ...secret.data, ...Object.fromEntries(folded) };
  return { ...secret, ...(Object.keys(data).length === 0 ? {} : { data }), type: secret.type ?? 'Opaque' };
};

/** How Secrets behave. */
export const secretStrategy = storedObject<Secret>(
  {
    kind: coreKind('Secret', 'secrets'),
    message: 'core.v1.Secret',
    rules: validateSecret,
    changeRules: validateSecretUpdate,
  },
  { defaults: foldedIn, fields: ({ type }) => ({ type: type ?? '' }) },
);

/** How ServiceAccounts behave. */
export const serviceAccountStrategy = storedObject<ApiObject>(
  { kind: coreKind('ServiceAccount', 'serviceaccounts'), message: 'core.v1.ServiceAccount' },
  { needsVersionOnUpdate: true },
);
