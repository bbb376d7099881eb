import { type CloudProvider, CloudUnavailableError } from '../../../shared/ports/outside/cloud-provider.ts';
import type { Instance, InstanceAnswer, InstanceState } from '../../../shared/rules/cloud/instance.ts';

/** A provider whose machines a test sets, by providerID. */
export interface FakeCloud extends CloudProvider {
  readonly machines: Map<string, Instance>;
  /** Names of Nodes about which it was asked. */
  readonly asked: string[];
  /** What Auto Scaling groups were told. */
  readonly told: string[];
  isDown: boolean;
  set(providerId: string, state: InstanceState, more?: Partial<Instance>): void;
}

export const createFakeCloud = (): FakeCloud => {
  const machines = new Map<string, Instance>();
  const cloud: FakeCloud = {
    machines,
    asked: [],
    told: [],
    isDown: false,
    set: (providerId, state, more = {}) => void machines.set(providerId, { ...more, providerId, state }),
    prolong: async (instance, { hook }) => void cloud.told.push(`prolong ${instance} ${hook}`),
    complete: async (instance, { hook }) => void cloud.told.push(`complete ${instance} ${hook}`),
    instances: async (queries) => {
      if (cloud.isDown) throw new CloudUnavailableError('RequestLimitExceeded');
      cloud.asked.push(...queries.map(({ nodeName }) => nodeName));
      return queries.map(({ providerId, nodeName }): InstanceAnswer => {
        const named = [...machines.values()].find((one) => one.labels?.['name'] === nodeName);
        return (providerId === '' ? named : machines.get(providerId)) ?? 'missing';
      });
    },
  };
  return cloud;
};
