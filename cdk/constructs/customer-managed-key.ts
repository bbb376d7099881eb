import { Aspects, type IAspect } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/** The actions for which DynamoDB, SQS, Secrets Manager and EventBridge use the key on behalf of a function. */
const ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Sets the key on every resource that stores data, and allows every function's role to use it. */
const encryptWith = (keyArn: string): IAspect => ({
  visit: (node: IConstruct): void => {
    if (node instanceof CfnTable)
      node.sseSpecification = { sseEnabled: true, sseType: 'KMS', kmsMasterKeyId: keyArn };
    else if (node instanceof CfnQueue) node.kmsMasterKeyId = keyArn;
    else if (node instanceof CfnSecret || node instanceof CfnLogGroup) node.kmsKeyId = keyArn;
    else if (node instanceof CfnEventBus) node.kmsKeyIdentifier = keyArn;
    else if (node instanceof Role)
      node.addToPolicy(new PolicyStatement({ actions: ACTIONS, resources: [keyArn] }));
  },
});

/**
 * Encrypts everything below `scope` that stores data with the user's KMS key. It is an aspect, so it also covers tables,
 * queues, secrets, log groups and event buses that are added later. Without a key, AWS's own keys encrypt.
 */
export const useCustomerManagedKey = (scope: IConstruct, keyArn: string | undefined): void => {
  if (keyArn !== undefined) Aspects.of(scope).add(encryptWith(keyArn));
};
