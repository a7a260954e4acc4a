"""What people use: command line, drawings, pictures, windows and pages."""
