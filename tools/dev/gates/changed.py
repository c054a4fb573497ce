"""Which files a change touches."""
import subprocess


def git(root, *arguments):
    """Output lines of a git command; none if it fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


def base(root):
    """The commit that the work started from: the merge base with the upstream branch, or, where that
    is HEAD itself (a clone that holds nothing else), the commit before HEAD."""
    head = git(root, "rev-parse", "HEAD")
    for branch in ("@{upstream}", "origin/main", "origin/HEAD"):
        found = git(root, "merge-base", "HEAD", branch)
        if found and found != head:
            return found[0]
    before = git(root, "rev-parse", "--verify", "-q", "HEAD~1")
    return before[0] if before else None


def files(root):
    """Paths changed since base(), committed or not; all files where there is no base."""
    start = base(root)
    if start is None:
        return git(root, "ls-files")
    listed = git(root, "diff", "--name-only", "--diff-filter=d", start)
    return sorted({*listed, *git(root, "ls-files", "-o", "--exclude-standard")})
