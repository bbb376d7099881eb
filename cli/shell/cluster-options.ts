/** The options by which commands choose a cluster. */
import type { OptionTable } from '../options/option-table.ts';

/** The cluster that a command line chooses; all absent: what runs here, or the default stack. */
export interface ClusterChoice {
  /** Path of a kubeconfig. */
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig. */
  readonly context?: string | undefined;
  readonly folder?: string | undefined;
  readonly stack?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly secretArn?: string | undefined;
  readonly clusterId?: string | undefined;
  /** Address of the API. */
  readonly server?: string | undefined;
}

/** The heading of these options. */
export const CLUSTER_GROUP = 'Cluster';

/** Where the API is, and what may sign tokens that it accepts. */
export const CLUSTER_OPTIONS = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    group: CLUSTER_GROUP,
    describe:
      'the cluster of this kubeconfig, with its token (default: KUBECONFIG, if no host runs here and no other option chooses)',
  },
  context: {
    type: 'string',
    value: 'CONTEXT',
    group: CLUSTER_GROUP,
    describe: 'another context of the kubeconfig than the current one',
  },
  folder: {
    type: 'string',
    value: 'FOLDER',
    group: CLUSTER_GROUP,
    describe: 'the host of this folder (default: .rollcall, if its host runs)',
  },
  stack: {
    type: 'string',
    value: 'NAME',
    group: CLUSTER_GROUP,
    describe: 'this stack on AWS (default if nothing else is found, and there are settings of AWS: Rollcall)',
  },
  'key-file': {
    type: 'string',
    value: 'FILE',
    group: CLUSTER_GROUP,
    describe: 'sign tokens with the keys in this file, JSON',
  },
  'secret-arn': {
    type: 'string',
    value: 'ARN',
    group: CLUSTER_GROUP,
    describe: 'sign tokens with the keys in this secret (ROLLCALL_SECRET_ARN)',
  },
  'cluster-id': {
    type: 'string',
    value: 'ID',
    group: CLUSTER_GROUP,
    describe: 'issuer of the tokens (ROLLCALL_CLUSTER_ID)',
  },
  server: {
    type: 'string',
    value: 'URL',
    group: CLUSTER_GROUP,
    describe: 'address of the API (default: that of the host or the stack)',
  },
} as const satisfies OptionTable;

/** What `parseArgs` reads of these options. */
type ClusterValues = { readonly [name in keyof typeof CLUSTER_OPTIONS]?: string | undefined };

/** The choice of a command line. */
export const clusterChoiceOf = (values: ClusterValues): ClusterChoice => ({
  kubeconfig: values.kubeconfig,
  context: values.context,
  folder: values.folder,
  stack: values.stack,
  keyFile: values['key-file'],
  secretArn: values['secret-arn'],
  clusterId: values['cluster-id'],
  server: values.server,
});
