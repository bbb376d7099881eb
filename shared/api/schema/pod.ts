import {
  flag,
  int32,
  keptFlag,
  keptInt32,
  keptInt64,
  keptText,
  list,
  quantityMap,
  struct,
  text,
  textMap,
  time,
} from './field-types.ts';
import { condition, objectMeta } from './meta.ts';

const resources = struct('ResourceRequirements', { limits: quantityMap, requests: quantityMap });

const port = struct('ContainerPort', {
  name: text,
  hostPort: int32,
  containerPort: keptInt32,
  protocol: text,
  hostIP: text,
});

const probe = struct('Probe', {
  initialDelaySeconds: int32,
  timeoutSeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  failureThreshold: int32,
  terminationGracePeriodSeconds: keptInt64,
});

const container = struct('Container', {
  name: keptText,
  image: text,
  command: list(keptText),
  args: list(keptText),
  workingDir: text,
  ports: list(port),
  env: list(struct('EnvVar', { name: keptText, value: text })),
  resources,
  restartPolicy: keptText,
  volumeMounts: list(struct('VolumeMount', { name: keptText, readOnly: flag, mountPath: keptText })),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  terminationMessagePath: text,
  terminationMessagePolicy: text,
  imagePullPolicy: text,
});

const toleration = struct('Toleration', {
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: keptInt64,
});

/** Fields that Rollcall reads or defaults; the rest of a Pod travels through untouched. */
export const podSchema = struct('Pod', {
  apiVersion: text,
  kind: text,
  metadata: objectMeta,
  spec: struct('PodSpec', {
    volumes: list(struct('Volume', { name: keptText })),
    initContainers: list(container),
    containers: list(container),
    restartPolicy: text,
    terminationGracePeriodSeconds: keptInt64,
    activeDeadlineSeconds: keptInt64,
    dnsPolicy: text,
    nodeSelector: textMap,
    serviceAccountName: text,
    serviceAccount: text,
    automountServiceAccountToken: keptFlag,
    nodeName: text,
    hostNetwork: flag,
    hostPID: flag,
    hostIPC: flag,
    hostname: text,
    subdomain: text,
    schedulerName: text,
    tolerations: list(toleration),
    priorityClassName: text,
    priority: keptInt32,
    enableServiceLinks: keptFlag,
    preemptionPolicy: keptText,
    overhead: quantityMap,
    schedulingGates: list(struct('PodSchedulingGate', { name: keptText })),
  }),
  status: struct('PodStatus', {
    phase: text,
    conditions: list(condition('PodCondition')),
    message: text,
    reason: text,
    nominatedNodeName: text,
    hostIP: text,
    podIP: text,
    podIPs: list(struct('PodIP', { ip: text })),
    startTime: time,
    qosClass: text,
  }),
});
