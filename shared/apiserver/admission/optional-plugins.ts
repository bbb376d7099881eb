/** Admission plugins for pods that run only if the settings name them. This file is loaded when they name one. */
import type { Pod } from '../../api/core.ts';
import { forbidden } from '../../api/status-error.ts';
import type { AdmissionPlugin } from '../../config/admission-plugins.ts';
import { tolerateExtendedResources } from '../../domain/pods/extended-resource-toleration.ts';
import { whitelistFault, withNamespaceTolerations } from '../../domain/pods/toleration-restriction.ts';
import type { PodPlugins } from './admission.ts';
import type { AdmissionRequest } from './admission-request.ts';

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
