/**
 * Rules for probes and lifecycle hooks after defaulting. Source: core validation v1.34 `validateProbe`,
 * `validateHandler`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { notNegative } from '../fields/not-negative.ts';
import { portNameFaults, portNumberFaults } from '../fields/ports.ts';

interface Action {
  readonly command?: readonly string[];
  readonly path?: string;
  readonly port?: number | string;
  readonly scheme?: string;
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** The action of a probe or hook. Exactly one member must be set. */
export type Handler = Readonly<Partial<Record<(typeof HANDLERS)[number], Action>>>;

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

export interface Probe extends Handler, Readonly<Partial<Record<(typeof COUNTS)[number], number>>> {
  readonly terminationGracePeriodSeconds?: number;
}

const SCHEMES = ['HTTP', 'HTTPS'] as const;

const portFaults = (port: number | string = 0, field: string): readonly FieldError[] => {
  const faults = typeof port === 'number' ? portNumberFaults(port) : portNameFaults(port);
  return faults.map((fault) => invalidValue(field, port, fault));
};

const schemeFaults = (scheme: string, field: string): readonly FieldError[] =>
  (SCHEMES as readonly string[]).includes(scheme) ? [] : [notSupported(field, scheme, SCHEMES)];

const actionFaults = (
  name: (typeof HANDLERS)[number],
  { command = [], path = '/', port, scheme = 'HTTP' }: Action,
  at: string,
): readonly FieldError[] => {
  if (name === 'exec') return command.length > 0 ? [] : [required(`${at}.command`)];
  if (name === 'sleep') return [];
  const isHttp = name === 'httpGet';
  return [
    ...(isHttp && path === '' ? [required(`${at}.path`)] : []),
    ...portFaults(port, `${at}.port`),
    ...(isHttp ? schemeFaults(scheme, `${at}.scheme`) : []),
  ];
};

/** Checks that exactly one action is set, and checks that action. */
export const validateHandler = (handler: Handler, field: string): readonly FieldError[] => {
  const given = HANDLERS.filter((name) => handler[name] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  return given.flatMap((name, index) =>
    index === 0
      ? actionFaults(name, handler[name] ?? {}, `${field}.${name}`)
      : [forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type')],
  );
};

const countFaults = (probe: Probe, field: string): readonly FieldError[] =>
  COUNTS.flatMap((name) => notNegative(probe[name], `${field}.${name}`));

const graceFaults = (seconds: number | undefined, field: string): readonly FieldError[] =>
  seconds !== undefined && seconds <= 0 ? [invalidValue(field, seconds, 'must be greater than 0')] : [];

const validateProbe = (probe: Probe, field: string): readonly FieldError[] => [
  ...validateHandler(probe, field),
  ...countFaults(probe, field),
  ...graceFaults(probe.terminationGracePeriodSeconds, `${field}.terminationGracePeriodSeconds`),
];

export interface Probed {
  readonly lifecycle?: { readonly postStart?: Handler; readonly preStop?: Handler };
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

const singleSuccess = ({ successThreshold = 1 }: Probe, field: string): readonly FieldError[] =>
  successThreshold === 1 ? [] : [invalidValue(`${field}.successThreshold`, successThreshold, 'must be 1')];

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Rules for the hooks and probes of the container at the path `at`. */
export const validateProbes = (container: Probed, at: string): readonly FieldError[] => [
  ...(['postStart', 'preStop'] as const).flatMap((hook) => {
    const handler = container.lifecycle?.[hook];
    return handler ? validateHandler(handler, `${at}.lifecycle.${hook}`) : [];
  }),
  ...PROBES.flatMap((name) => {
    const probe = container[name];
    if (!probe) return [];
    const single = name === 'readinessProbe' ? [] : singleSuccess(probe, `${at}.${name}`);
    return [...validateProbe(probe, `${at}.${name}`), ...single];
  }),
];
