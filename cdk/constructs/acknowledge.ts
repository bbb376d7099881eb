import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Accepts a finding of cdk-nag at this construct and records the reason. */
export const acknowledge = (construct: Construct, id: string, reason: string): void => {
  Validations.of(construct).acknowledge({ id, reason });
};
