/** The provider of machines that a host is configured with. */
import { readFile } from 'node:fs/promises';
import { createWebhookFencing } from '../../shared/adapters/webhook/fencing.ts';
import { createWebhookCloud } from '../../shared/adapters/webhook/machines.ts';
import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { Fencing } from '../../shared/ports/outside/fencing.ts';
import { CLOUD_NODE, type CloudNewsMessage } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';
import type { HostConfiguration } from '../../shared/settings/host/host-configuration.ts';
import { createMachineFile } from '../folder/machine-file.ts';

interface WatchDeps {
  readonly queues: WorkQueues;
  readonly hostLog: HostLog;
}

export interface Machines {
  /** For the controllers; empty if nobody is asked about machines. */
  readonly ports: { readonly cloud?: CloudProvider; readonly fencing?: Fencing };
  /** Starts what tells the controllers about changes. */
  watch(deps: WatchDeps): readonly Loop[];
}

const NONE: Machines = { ports: {}, watch: () => [] };

/** Reads the token of webhooks before each call, so that it can be replaced. */
const tokenIn = (path: string | undefined) => async (): Promise<string | undefined> =>
  path === undefined ? undefined : (await readFile(path, 'utf8')).trim();

const news = (instance: string): CloudNewsMessage => ({ v: 1, kind: 'news', instance });

const fromFile = (path: string): Machines => {
  const { cloud, watch } = createMachineFile(path);
  return {
    ports: { cloud },
    watch: ({ queues, hostLog }) => {
      const tell = (instances: readonly string[]): Promise<void> =>
        queues.send(
          CLOUD_NODE,
          instances.map((instance) => ({ body: news(instance) })),
        );
      return [watch(tell, (error) => hostLog.error('the file with the machines is not used', { error }))];
    },
  };
};

const machinesOf = ({ cloud, webhookTokenFile }: HostConfiguration): Machines => {
  if (cloud?.provider === 'file') return fromFile(cloud.file);
  if (cloud?.provider !== 'webhook') return NONE;
  const provider = createWebhookCloud({ url: cloud.url, token: tokenIn(webhookTokenFile) });
  return { ports: { cloud: provider }, watch: () => [] };
};

/** Whoever knows the machines, and whoever switches them off. */
export const createMachines = (configuration: HostConfiguration): Machines => {
  const machines = machinesOf(configuration);
  const { fencingUrl } = configuration.cluster.outOfService;
  if (fencingUrl === undefined) return machines;
  const token = tokenIn(configuration.webhookTokenFile);
  const fencing = createWebhookFencing({ url: fencingUrl, token });
  return { ...machines, ports: { ...machines.ports, fencing } };
};
