import { Aspects, type IAspect } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/** What DynamoDB, SQS, Secrets Manager and EventBridge do with the key in the name of a function. */
const ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Sets the key on every resource that keeps data, and lets every function's role use it. */
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
 * Encrypts everything below `scope` that keeps data with a KMS key of the user's. It is an aspect, so that a table, queue,
 * secret, log group or event bus that is added later is encrypted, too. Without a key AWS's own ones encrypt.
 */
export const useCustomerManagedKey = (scope: IConstruct, keyArn: string | undefined): void => {
  if (keyArn !== undefined) Aspects.of(scope).add(encryptWith(keyArn));
};
