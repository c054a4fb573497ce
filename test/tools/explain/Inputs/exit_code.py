"""exit_code.py CODE COMMAND..: the command exits with this code. One word is a line for the shell."""
import subprocess
import sys

code, *command = sys.argv[1:]
done = subprocess.run(command if len(command) > 1 else command[0], shell=len(command) == 1,
                      capture_output=True, text=True, check=False)
assert done.returncode == int(code), f"exited with {done.returncode}: {done.stderr}"
