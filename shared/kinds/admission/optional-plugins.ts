/** Admission plugins for pods that run only if the settings name them. This file is loaded when they name one. */

import { forbidden } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import { tolerateExtendedResources } from '../../rules/pod-admission/extended-resource-toleration.ts';
import {
  whitelistFault,
  withNamespaceTolerations,
} from '../../rules/pod-admission/toleration-restriction.ts';
import type { AdmissionPlugin } from '../../settings/admission-plugins.ts';
import type { AdmissionRequest } from '../contract/admission-request.ts';
import type { PodPlugins } from './admission.ts';

const refusal = ({ metadata }: Pod, fault: string) =>
  forbidden({ resource: 'pods', name: metadata.name }, fault);

const annotationsOf = ({ namespace }: AdmissionRequest<Pod>) => namespace?.metadata.annotations ?? {};

const addNamespaceTolerations = (pod: Pod, request: AdmissionRequest<Pod>): Pod => {
  const isNew = request.operation === 'create';
  const restricted = withNamespaceTolerations(pod, isNew, annotationsOf(request));
  if ('fault' in restricted) throw refusal(pod, restricted.fault);
  return restricted.pod;
};

/** What the plugins that are switched on do to pods, in the order of Kubernetes. */
export const podPlugins = (enabled: readonly AdmissionPlugin[]): PodPlugins => {
  const restricts = enabled.includes('PodTolerationRestriction');
  const toleratesResources = enabled.includes('ExtendedResourceToleration');
  return {
    addTolerations: (pod, request) => {
      const restricted = restricts ? addNamespaceTolerations(pod, request) : pod;
      return toleratesResources ? tolerateExtendedResources(restricted) : restricted;
    },
    check: (pod, request) => {
      const fault = restricts ? whitelistFault(pod, annotationsOf(request)) : undefined;
      if (fault !== undefined) throw refusal(pod, fault);
    },
  };
};
