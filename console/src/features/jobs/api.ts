/** Runs of jobs (specification 24.11). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import { refetch } from '../../api/refetch.ts'

const jobs = ['job-runs']

/** Milliseconds: a request is taken up within a second. */
const jobsEvery = 2000

export function useJobRuns() {
  return useQuery({
    queryKey: jobs,
    queryFn: () => read(api.GET('/api/job-runs')),
    refetchInterval: jobsEvery,
  })
}

export function useRequestJobRun() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (job: string) => read(api.POST('/api/job-runs', { body: { job } })),
    onSuccess: () => refetch(client, { queryKey: jobs }),
  })
}
