/** What a request for logs may ask for. Source: kubernetes v1.34 pkg/apis/core/validation `ValidatePodLogOptions`. */
import { type FieldError, forbiddenField, invalidValue } from '../../kube/errors/field-error.ts';

/** PodLogOptions as they are in the query. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339. */
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly stream?: string | undefined;
}

const sinceFaults = ({ sinceSeconds, sinceTime }: LogOptions): readonly FieldError[] => {
  if (sinceSeconds === undefined) return [];
  if (sinceTime !== undefined)
    return [forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')];
  return sinceSeconds < 1 ? [invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0')] : [];
};

/** Which options are invalid. The feature gate PodLogsQuerySplitStreams is off, as by default. */
export const logFaults = (options: LogOptions): readonly FieldError[] => {
  const { tailLines, limitBytes, stream } = options;
  return [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalidValue('tailLines', tailLines, 'must be greater than or equal to 0')]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1
      ? [invalidValue('limitBytes', limitBytes, 'must be greater than 0')]
      : []),
    ...sinceFaults(options),
    ...(stream === undefined ? [] : [forbiddenField('stream', 'may not be specified')]),
  ];
};
