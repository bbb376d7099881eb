import { invalidValue } from '../../kube/errors/field-error.ts';
import { dnsLabelFaults } from '../../kube/values/names.ts';
import type { RuntimeClass } from '../../rules/pod-admission/runtime-class.ts';
import { storedObject } from '../contract/stored-object.ts';

/** How RuntimeClasses behave. Source: node validation v1.34 `ValidateRuntimeClass`, `ValidateRuntimeClassUpdate`. */
export const runtimeClassStrategy = storedObject<RuntimeClass>(
  {
    kind: {
      group: 'node.k8s.io',
      version: 'v1',
      kind: 'RuntimeClass',
      resource: 'runtimeclasses',
      namespaced: false,
    },
    message: 'node.v1.RuntimeClass',
    rules: ({ handler = '' }) =>
      dnsLabelFaults(handler).map((fault) => invalidValue('handler', handler, fault)),
    changeRules: ({ handler }, before) =>
      handler === before.handler ? [] : [invalidValue('handler', handler ?? '', 'field is immutable')],
  },
  { needsVersionOnUpdate: true },
);
