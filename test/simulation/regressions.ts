import type { Play } from './play.ts';

/** Runs that showed a defect once, each with what it was. They are played in every `npm test`. */
export const REGRESSIONS: readonly (Pick<Play, 'seed' | 'scenario'> & { readonly was: string })[] = [
  {
    scenario: 'up',
    seed: '1',
    was: "a MachineSet looked at its Machines thirty times a second for as long as the worker's clock was behind Temporal's",
  },
  {
    scenario: 'hostile',
    seed: 'a-13',
    was: 'a workflow asked whether its history was long before a step that took longer than a workflow task may: a replay heard what was so after the step, and went on as a new run',
  },
  {
    scenario: 'hostile',
    seed: 'b-5',
    was: 'the same, where the call made its instance: from when on its Node may take so long was another time in a replay',
  },
  {
    scenario: 'hostile',
    seed: 'b-104',
    was: 'a Machine went by force while no watcher was there: its workflow, which had to report the instance, heard of it six hours later',
  },
  {
    scenario: 'hostile',
    seed: 'run-51',
    was: 'a Machine went by force whose workflow had begun while it was paused: its instance was not reported',
  },
  {
    scenario: 'upgrade',
    seed: 't1-13',
    was: 'a workflow went on where its replay continued as new: the step after that decision had taken longer than a workflow task may',
  },
  {
    scenario: 'restored',
    seed: '018fc527d0-54',
    was: 'a Machine came back from a backup, its instance was found and could not be recorded: its workflow took the past for known, and let it go',
  },
  {
    scenario: 'restored',
    seed: 'x-42',
    was: 'a Machine went while its instance ran, which it had claimed by its tags: a replica showed it as it was before, as that of nobody',
  },
  {
    scenario: 'balanced',
    seed: 'h-104',
    was: 'a call to put an instance behind a load balancer took effect after the instance was taken from there, and ended',
  },
  {
    scenario: 'balanced',
    seed: 'dc43226f7e-27',
    was: 'two alarms of a MachineSet were one in a replay, where a look between them had taken longer than a workflow task may: its timers were numbered anew',
  },
  {
    scenario: 'healed',
    seed: 'b-3',
    was: 'a worker died after a health check had deleted a Machine, and before its task was recorded: one more was remediated beside it',
  },
  {
    scenario: 'healed',
    seed: 'a-5',
    was: 'a second Machine of a set took the place of a failed replacement, while what replaced the first one was joining',
  },
  {
    scenario: 'balanced',
    seed: 'h-104',
    was: "the address of an instance that had ended stayed behind a target group, where Temporal's database was lost meanwhile",
  },
  {
    scenario: 'drained',
    seed: '7090927ade-31',
    was: "a drain's time ran while the API server did not take its cordon: when it did, the instance ended with all its pods",
  },
  {
    scenario: 'healed',
    seed: 'run-3',
    was: 'a Machine that a scale-up had made was replaced in the place of a failed replacement, whose own was missing still',
  },
  {
    scenario: 'healed',
    seed: 'run-3-11',
    was: 'a failed replacement took the place of a Machine that was remediated after it had been made; the place of one that could not be replaced was lost',
  },
];
