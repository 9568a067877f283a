import { Option, type Command } from 'commander';
import { outputFormat } from './flag-values.ts';

/** Flags that every command takes, before or after its name. */
export function addGlobalFlags(command: Command): Command {
  return command
    .option('-n, --namespace <name>', "Kubernetes namespace (default: the context's)")
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's current one)")
    .option('--kubeconfig <path>', 'kubeconfig file (default: KUBECONFIG, ~/.kube/config, or the service account)')
    .addOption(
      new Option(
        '-o, --output <format>',
        'how to print: json, yaml, wide, or jsonpath=TEMPLATE as in kubectl, e.g. jsonpath={.items[*].metadata.name}',
      ).argParser(outputFormat),
    )
    .option('--profile <name>', 'profile of temporal.toml (default: TEMPORAL_PROFILE, else `default`)')
    .option(
      '--temporal-address <host:port>',
      "Temporal's frontend (default: TEMPORAL_ADDRESS, the profile's, localhost:7233)",
    )
    .option(
      '--temporal-namespace <name>',
      "Temporal namespace (default: TEMPORAL_NAMESPACE, the profile's, `default`)",
    );
}
