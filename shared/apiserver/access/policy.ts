/** Permissions of groups as rules in RBAC's form. Authorization decides by them, and rules reviews list them. */

import type { User } from '../../kinds/contract/user.ts';
import {
  GROUP_AUTHENTICATED,
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_NODE_OPERATORS,
  GROUP_RELAYS,
  GROUP_UNAUTHENTICATED,
  GROUP_VIEWERS,
} from '../../kube/types/well-known.ts';
import type { PathAccess, ResourceAccess } from './access.ts';

/** A rule about resources or about non-resource paths. `*` stands for all; a path may end with it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const READ = ['get', 'list', 'watch'];

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Reads of everything but Secrets, as in Kubernetes' role `view`: a reader of service-account tokens could act as
 * those accounts.
 */
const VIEW: readonly PolicyRule[] = [
  {
    verbs: READ,
    apiGroups: [''],
    resources: [
      'bindings',
      'configmaps',
      'endpoints',
      'events',
      'namespaces',
      'nodes',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'replicationcontrollers',
      'serviceaccounts',
      'services',
      'nodes/explain',
      'pods/explain',
      'pods/log',
      'namespaces/status',
      'nodes/status',
      'persistentvolumeclaims/status',
      'persistentvolumes/status',
      'limitranges',
      'podtemplates',
      'resourcequotas',
      'resourcequotas/status',
      'pods/status',
      'replicationcontrollers/scale',
      'replicationcontrollers/status',
      'services/status',
    ],
  },
  {
    verbs: READ,
    apiGroups: [
      'apps',
      'autoscaling',
      'batch',
      'coordination.k8s.io',
      'discovery.k8s.io',
      'events.k8s.io',
      'metrics.k8s.io',
      'networking.k8s.io',
      'node.k8s.io',
      'policy',
      'resource.k8s.io',
      'scheduling.k8s.io',
      'storage.k8s.io',
    ],
    resources: ['*'],
  },
  // Not `nodes/work`: it has the Secrets of the node's pods.
  {
    verbs: READ,
    apiGroups: ['rollcall.dev'],
    resources: [
      'holds',
      'holds/status',
      'nodelifecyclepolicies',
      'nodelifecyclepolicies/status',
      'nodemaintenances',
      'nodemaintenances/status',
      'relays',
      'signingkeys',
      'zones',
      'zones/explain',
    ],
  },
  { verbs: ['get'], nonResourceURLs: ['*'] },
];

const BOOTSTRAP: readonly PolicyRule[] = [
  { verbs: ['create'], apiGroups: [''], resources: ['nodes'] },
  { verbs: ['create'], apiGroups: ['rollcall.dev'], resources: ['nodes/token'] },
];

const CHANGE = ['create', 'update', 'patch', 'delete'];

/** What people on duty may do, and the page of the dashboard with --allow-actions. Other reads are those of a viewer. */
const OPERATE_NODES: readonly PolicyRule[] = [
  { verbs: ['patch'], apiGroups: [''], resources: ['nodes'] },
  { verbs: ['create'], apiGroups: [''], resources: ['nodes/drain'] },
  { verbs: [...READ, ...CHANGE], apiGroups: ['rollcall.dev'], resources: ['holds'] },
];

const RELAY: readonly PolicyRule[] = [
  { verbs: ['create'], apiGroups: ['rollcall.dev'], resources: ['heartbeats', 'relays/token'] },
];

/**
 * Source: kubernetes v1.34 role `system:public-info-viewer`; the paths of health checks below `/healthz`,
 * `/livez` and `/readyz` are ours.
 */
const PUBLIC: readonly PolicyRule[] = [
  {
    verbs: ['get'],
    nonResourceURLs: [
      '/healthz',
      '/healthz/*',
      '/livez',
      '/livez/*',
      '/readyz',
      '/readyz/*',
      '/version',
      '/version/',
    ],
  },
];

/** Source: kubernetes v1.34 roles `system:basic-user` and `system:discovery`. */
const AUTHENTICATED: readonly PolicyRule[] = [
  {
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  },
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  // What the session is for is authorized as if it had been sent itself.
  { verbs: ['create'], apiGroups: ['rollcall.dev'], resources: ['sessions'] },
  {
    verbs: ['get'],
    nonResourceURLs: [
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/openapi',
      '/openapi/*',
      // Public keys, by which nodes check tokens.
      '/openid/v1/jwks',
    ],
  },
];

const GROUP_RULES: Readonly<Record<string, readonly PolicyRule[]>> = {
  [GROUP_MASTERS]: EVERYTHING,
  [GROUP_VIEWERS]: VIEW,
  [GROUP_NODE_OPERATORS]: OPERATE_NODES,
  [GROUP_BOOTSTRAPPERS]: BOOTSTRAP,
  [GROUP_RELAYS]: RELAY,
  [GROUP_AUTHENTICATED]: [...AUTHENTICATED, ...PUBLIC],
  [GROUP_UNAUTHENTICATED]: PUBLIC,
};

/** The rules of all groups of a user, in the order of the groups. */
export const rulesOf = ({ groups }: User): readonly PolicyRule[] =>
  groups.flatMap((group) => (Object.hasOwn(GROUP_RULES, group) ? (GROUP_RULES[group] ?? []) : []));

const holds = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes('*') || values.includes(value));

const namesResource = (
  { resources = [] }: PolicyRule,
  { resource, subresource }: ResourceAccess,
): boolean => {
  if (subresource === '') return holds(resources, resource);
  return holds(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
};

/** Whether a rule allows an access to a resource. Source: kubernetes v1.34 `rbac.RuleAllows`. */
export const allowsResource = (rule: PolicyRule, access: ResourceAccess): boolean =>
  holds(rule.verbs, access.verb) &&
  holds(rule.apiGroups, access.group) &&
  namesResource(rule, access) &&
  (rule.resourceNames === undefined || rule.resourceNames.includes(access.name));

const namesPath = (pattern: string, path: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;

/** Whether a rule allows a request to a path. HEAD needs the verb `get`. */
export const allowsPath = (rule: PolicyRule, { verb, path }: PathAccess): boolean =>
  holds(rule.verbs, verb === 'head' ? 'get' : verb) &&
  (rule.nonResourceURLs ?? []).some((pattern) => namesPath(pattern, path));
