import { KubeConfig } from '@kubernetes/client-node';
import { createKubeClient } from '../../k8s/http-client.ts';
import type { Resource } from '../../k8s/resources.ts';
import type { StackFiles } from './stack-files.ts';

/** Named by the example as its `credentialsSecret`, in the example's namespace. */
const SECRET = { name: 'aws-credentials', namespace: 'default' };
const SECRETS: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };

/**
 * Makes the Secret with which the example's machines are launched, as one would in a real cluster. The embedded EC2 takes
 * any key; what lies in the user's environment or home goes nowhere.
 */
export async function writeAwsCredentials(files: StackFiles): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(files.kubeconfig);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: SECRET,
    stringData: { aws_access_key_id: 'embedded', aws_secret_access_key: 'embedded' },
  };
  await createKubeClient(config).apply(SECRETS, SECRET.namespace, SECRET.name, secret, {
    fieldManager: 'millwright-devstack',
  });
}
